package lance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/servertest"
)

// The library keeps one entry for a place and its options. Both doors lead to it
// only if the nested options that lancedb-go sends say the same as the flat ones.
func TestBothSpellingsOfOptionsMeet(t *testing.T) {
	for _, allow := range []string{"true", "false"} {
		flat := map[string]string{"aws_access_key_id": "a", "aws_secret_access_key": "b", "aws_session_token": "c", "aws_region": "d",
			"aws_endpoint": "e", "allow_http": allow}
		nested, err := connectionOptions(flat)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(nested.StorageOptions)
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			S3    map[string]string `json:"s3_config"`
			Allow *bool             `json:"allow_http"`
		}
		if err := json.Unmarshal(text, &sent); err != nil || sent.Allow == nil {
			t.Fatalf("%s: %v", text, err)
		}
		got := map[string]string{"allow_http": fmt.Sprint(*sent.Allow)}
		for name, value := range sent.S3 { // the library puts aws_ before each
			got["aws_"+name] = value
		}
		if diff := cmp.Diff(flat, got); diff != "" {
			t.Errorf("(-flat +nested)\n%s", diff)
		}
	}
}

func TestRemoteTable(t *testing.T) {
	s3 := servertest.S3(t)
	db, err := Connect(t.Context(), "s3://"+servertest.Bucket+"/one", Options{StorageOptions: s3.S3Options()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.CreateTable(t.Context(), "notes", testSchema)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if n, err := table.Count(t.Context(), nil); n != 0 || err != nil {
		t.Errorf("Count = %d, %v", n, err)
	}
	if _, err := db.OpenTable(t.Context(), "missing"); !errors.Is(err, ErrNotFound) {
		t.Errorf("opening what is not there = %v", err)
	}
	if _, err := db.CreateTable(t.Context(), "notes", testSchema); !errors.Is(err, ErrExists) {
		t.Errorf("creating what is there = %v", err)
	}
}

// An error of object storage says what the storage said, in one line, and neither
// the secret nor the request.
func TestRemoteErrors(t *testing.T) {
	s3 := servertest.S3(t)
	for _, c := range []struct {
		name, uri string
		change    map[string]string
		says      string
	}{
		{"no such bucket", "s3://nowhere/db", nil, "NoSuchBucket"},
		{"a wrong secret", "s3://" + servertest.Bucket, map[string]string{"aws_secret_access_key": "another-secret", "aws_session_token": "a-token"}, s3.Addr + " answers "},
		{"no TLS", "s3://" + servertest.Bucket, map[string]string{"allow_http": "false"}, "without TLS"},
		{"nobody there", "s3://" + servertest.Bucket, map[string]string{"aws_endpoint": "http://" + servertest.FreeAddr(t)}, "does not answer: Connection refused"},
	} {
		t.Run(c.name, func(t *testing.T) {
			options := s3.S3Options()
			maps.Copy(options, c.change)
			_, err := Connect(t.Context(), c.uri, Options{StorageOptions: options})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("Connect = %v, want %q", err, c.says)
			}
			for _, hidden := range []string{servertest.SecretKey, "another-secret", "a-token", "<", "RetryError", "\n"} {
				if strings.Contains(err.Error(), hidden) {
					t.Errorf("the error shows %q: %v", hidden, err)
				}
			}
		})
	}
}

func TestRemoteMessage(t *testing.T) {
	const head = `IO { source: Generic { store: "S3", source: RetryError(RetryErrorImpl { method: GET, uri: Some(https://h:9/b?list-type=2), retries: 3, inner: `
	for in, want := range map[string]string{
		"no such table": "no such table",
		head + `Status { status: 403, body: Some("<Error><Code>AccessDenied</Code><Message>No.</Message><CanonicalRequest>x-amz-security-token:T</CanonicalRequest></Error>") } }) } }`: "the object storage at https://h:9 answers AccessDenied: No.",
		head + `Status { status: 503, body: None } }) } }`:                                                                              "the object storage at https://h:9 answers with status 503",
		head + `Http(HttpError { kind: Timeout, source: reqwest::Error { kind: Request, source: TimedOut } }) }) } }`:                   "the object storage at https://h:9 does not answer in time",
		head + `HttpError { source: ConnectError("tcp connect error", 1.2.3.4:9, Os { code: 113, message: "No route to host" }) }) } }`: "the object storage at https://h:9 does not answer: No route to host",
		`Generic S3 error: <Error><Secret>T</Secret></Error>`:                                                                           "Generic S3 error: ",
	} {
		if got := remoteMessage(in); got != want {
			t.Errorf("remoteMessage(%q) = %q, want %q", in, got, want)
		}
	}
}
