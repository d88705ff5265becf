package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestObjectStorage(t *testing.T) {
	aws := testEnv(map[string]string{"AWS_ACCESS_KEY_ID": "env-id", "AWS_SECRET_ACCESS_KEY": "env-hunter2", "AWS_SESSION_TOKEN": "env-token",
		"AWS_DEFAULT_REGION": "eu-central-1", "AWS_ENDPOINT_URL": "https://env"})
	own := testEnv(map[string]string{"KEY": "hunter2"})
	homeless := testEnv(nil)
	homeless.Home, homeless.BaseDir, homeless.account = "", "", func() string { return "" }
	type options = map[string]string
	for _, c := range []struct {
		name, raw string
		env       Env
		path      string // "" if it cannot be used
		options   options
		says      string
	}{
		{"a role", `{"dbPath":"s3://bucket/some/prefix//"}`, own, "s3://bucket/some/prefix", options{"allow_http": "false"}, ""},
		{"capitals", `{"dbPath":"S3://bucket"}`, own, "s3://bucket", options{"allow_http": "false"}, ""},
		{"the environment", `{"dbPath":"s3://b/p"}`, aws, "s3://b/p", options{"allow_http": "false", "aws_access_key_id": "env-id",
			"aws_secret_access_key": "env-hunter2", "aws_session_token": "env-token", "aws_region": "eu-central-1", "aws_endpoint": "https://env"}, ""},
		{"options", `{"dbPath":"s3://b/p","storageOptions":{"endpoint":"http://127.0.0.1:9","allowHttp":true,"accessKeyId":"id",
			"secretAccessKey":{"source":"env","id":"KEY"}}}`, own, "s3://b/p", options{"allow_http": "true", "aws_access_key_id": "id",
			"aws_secret_access_key": "hunter2", "aws_region": "us-east-1", "aws_endpoint": "http://127.0.0.1:9"}, ""},
		{"keys of one place only", `{"dbPath":"s3://b","storageOptions":{"accessKeyId":"id","secretAccessKey":"hunter2","region":"r","endpoint":"https://e"}}`, aws, "s3://b",
			options{"allow_http": "false", "aws_access_key_id": "id", "aws_secret_access_key": "hunter2", "aws_region": "r", "aws_endpoint": "https://e"}, ""},
		{"half a key", `{"dbPath":"s3://b","storageOptions":{"accessKeyId":"id"}}`, aws, "", nil, "one of accessKeyId and secretAccessKey"},
		{"no TLS", `{"dbPath":"s3://b","storageOptions":{"endpoint":"http://h"}}`, own, "", nil, "storageOptions.endpoint: found an address without TLS"},
		{"a password in the endpoint", `{"dbPath":"s3://b","storageOptions":{"endpoint":"https://u:hunter2@h"}}`, own, "", nil, "without user and password"},
		{"a secret that is missing", `{"dbPath":"s3://b","storageOptions":{"accessKeyId":"id","secretAccessKey":"${NOPE}"}}`, aws, "", nil, "storageOptions.secretAccessKey: the environment variable NOPE"},
		{"no object", `{"dbPath":"s3://b","storageOptions":"hunter2"}`, own, "", nil, "storageOptions: found"},
		{"no bucket", `{"dbPath":"s3:///p"}`, own, "", nil, "s3://bucket/prefix"},
		{"a key in the address", `{"dbPath":"s3://id:hunter2@b/p"}`, own, "", nil, "storageOptions"},
		{"dots", `{"dbPath":"s3://b/../p"}`, own, "", nil, "s3://bucket/prefix"},
		{"no home", `{"dbPath":"s3://b"}`, homeless, "", nil, "HOME is not set"},
		{"a directory", `{"dbPath":"/d","storageOptions":{"region":"r"}}`, own, "/d", nil, "storageOptions: it is for a dbPath that begins with s3://"},
		{"the usual mistake", `{"dbPath":"s3://b","storageOptions":{"aws_region":"r"}}`, own, "s3://b", options{"allow_http": "false"}, "storageOptions.region"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := parsed(t, c.raw, c.env)
			if got.DBPath != c.path || (c.path == "") == (got.PathFault == "") {
				t.Errorf("path %q, fault %q; want %q", got.DBPath, got.PathFault, c.path)
			}
			if diff := cmp.Diff(c.options, got.StorageOptions); diff != "" {
				t.Errorf("options (-want +got)\n%s", diff)
			}
			if remote := strings.HasPrefix(c.path, "s3:"); remote != (got.StateDir == "/state/memory") {
				t.Errorf("state directory %q", got.StateDir)
			}
			if heard := said(got); !strings.Contains(heard, c.says) || (c.says == "" && heard != "") {
				t.Errorf("heard %q, want %q", heard, c.says)
			}
			settings, _ := Effective(json.RawMessage(c.raw), c.env)
			for _, s := range settings {
				if strings.Contains(fmt.Sprint(s.Value), "hunter2") {
					t.Errorf("%s shows a secret: %v", s.Key.Path, s.Value)
				}
			}
		})
	}
}

// The flag takes the place of dbPath, with the options that are configured.
func TestAnotherPathTakesTheOptions(t *testing.T) {
	at, err := Locate("s3://b/p/")
	if err != nil {
		t.Fatal(err)
	}
	env := testEnv(nil)
	env.DBPath = at
	got := parsed(t, `{"dbPath":7,"storageOptions":{"region":"r"}}`, env)
	if got.DBPath != "s3://b/p" || got.StorageOptions["aws_region"] != "r" || len(got.Problems) > 0 {
		t.Errorf("%q %v %q", got.DBPath, got.StorageOptions, got.Problems)
	}
	if path, err := Locate("some/dir"); err != nil || !strings.HasSuffix(path, "/some/dir") || path[0] != '/' {
		t.Errorf("Locate = %q, %v", path, err)
	}
	if _, err := Locate("s3://"); err == nil {
		t.Error("Locate accepted an address without a bucket")
	}
}
