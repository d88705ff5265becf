package protocol

// Code is the code of a JSON-RPC error.
type Code int

// The codes this protocol adds to JSON-RPC's own. The range is the one the
// specification leaves to servers.
const (
	CodeParse          Code = -32700
	CodeInvalidRequest Code = -32600
	CodeMethodNotFound Code = -32601
	CodeBadParams      Code = -32602
	CodeInternal       Code = -32603

	CodeVersionMismatch  Code = -32010
	CodeNotInitialized   Code = -32011
	CodeNoAgent          Code = -32012
	CodeDenied           Code = -32013
	CodeNotFound         Code = -32014
	CodeTooLarge         Code = -32015
	CodeConfig           Code = -32016
	CodeConflict         Code = -32017
	CodeStoreUnavailable Code = -32020
	CodeStoreBusy        Code = -32021
	CodeProvider         Code = -32030
	CodeBadVector        Code = -32031
	CodeDeadline         Code = -32040
	CodeCancelled        Code = -32097
)

// Fault names a kind of failure. The engine classifies an error into a fault,
// this package gives the fault its code, the command line its exit code.
type Fault string

// The faults.
const (
	FaultBadParams        Fault = "bad_params"
	FaultVersionMismatch  Fault = "version_mismatch"
	FaultNotInitialized   Fault = "not_initialized"
	FaultNoAgent          Fault = "no_agent"
	FaultDenied           Fault = "denied"
	FaultNotFound         Fault = "not_found"
	FaultTooLarge         Fault = "too_large"
	FaultConfig           Fault = "config"
	FaultStoreUnavailable Fault = "store_unavailable"
	FaultStoreBusy        Fault = "store_busy"
	FaultProvider         Fault = "provider"
	FaultBadVector        Fault = "bad_vector"
	FaultDeadline         Fault = "deadline"
	FaultCancelled        Fault = "cancelled"
	FaultConflict         Fault = "conflict"
	FaultInternal         Fault = "internal"
)

// FaultRow is one row of the error table.
type FaultRow struct {
	Fault Fault
	Code  Code
	// Retry says that the same call may succeed later.
	Retry bool
	// Meaning is for the documentation and the generated TypeScript.
	Meaning string
}

// Faults is the one table from kinds of failure to codes on the wire.
func Faults() []FaultRow {
	return []FaultRow{
		{FaultBadParams, CodeBadParams, false, "a parameter is missing or has the wrong type"},
		{FaultVersionMismatch, CodeVersionMismatch, false, "shim and sidecar speak different protocol versions"},
		{FaultNotInitialized, CodeNotInitialized, false, "initialize was not called, or failed"},
		{FaultNoAgent, CodeNoAgent, false, "the call names no agent"},
		{FaultDenied, CodeDenied, false, "the scope is out of the caller's reach"},
		{FaultNotFound, CodeNotFound, false, "no such memory among those the caller may see"},
		{FaultTooLarge, CodeTooLarge, false, "the text is over the documented maximum"},
		{FaultConfig, CodeConfig, false, "the configuration cannot be used"},
		{FaultConflict, CodeConflict, false, "what was to be changed is not as it was expected to be"},
		{FaultStoreUnavailable, CodeStoreUnavailable, true, "the database cannot be opened, read or written"},
		{FaultStoreBusy, CodeStoreBusy, true, "another process holds the write lock"},
		{FaultProvider, CodeProvider, true, "the embedding provider failed"},
		{FaultBadVector, CodeBadVector, false, "the embedding provider returned a vector that cannot be used"},
		{FaultDeadline, CodeDeadline, true, "the deadline passed"},
		{FaultCancelled, CodeCancelled, false, "the caller gave up"},
		{FaultInternal, CodeInternal, false, "a defect in memory-lancedb-pro"},
	}
}

// CodeFor gives the code of a fault; an unknown one is an internal error.
func CodeFor(f Fault) Code {
	for _, row := range Faults() {
		if row.Fault == f {
			return row.Code
		}
	}
	return CodeInternal
}

// ErrorData travels in the data member of a JSON-RPC error.
type ErrorData struct {
	Fault Fault `json:"fault"`
	Retry bool  `json:"retry"`
}

// DataFor describes a fault to the other side.
func DataFor(f Fault) ErrorData {
	for _, row := range Faults() {
		if row.Fault == f {
			return ErrorData{Fault: f, Retry: row.Retry}
		}
	}
	return ErrorData{Fault: FaultInternal}
}
