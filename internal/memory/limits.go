package memory

import (
	"math"
	"time"
)

// MaxTextBytes is the largest text one memory may have. It is far above
// anything a person states in one go and keeps a row, its index entries and a
// reply with twenty of them within reach of one message to the host.
const MaxTextBytes = 1 << 20

// DefaultImportance is used where none is given, or not a number.
const DefaultImportance = 0.7

// ClampImportance brings any number into [0,1]; NaN becomes DefaultImportance.
func ClampImportance(v float64) float64 {
	if math.IsNaN(v) {
		return DefaultImportance
	}
	return min(max(v, 0), 1)
}

const (
	// secondsBelow separates epoch seconds from milliseconds: 1e12 ms is
	// September 2001, 1e12 s is the year 33658. Old rows hold both units.
	secondsBelow = 1e12
	// lastMilli is the end of the year 9999; beyond it a number is no date.
	lastMilli = 253402300799999
)

// FromEpoch reads a timestamp in milliseconds, or in seconds as old rows have
// it. It is false for zero, negative and non-finite numbers.
func FromEpoch(v float64) (time.Time, bool) {
	if !(v > 0) || math.IsInf(v, 1) {
		return time.Time{}, false
	}
	if v < secondsBelow {
		v *= 1000
	}
	if v < 1 || v > lastMilli {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(v)).UTC(), true
}
