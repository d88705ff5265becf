package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// remoteScheme is how a dbPath in object storage begins.
const remoteScheme = "s3://"

// storageBlock holds the keys for object storage.
const storageBlock = "storageOptions"

func isRemote(path any) bool {
	s, ok := path.(string)
	return ok && len(s) >= len(remoteScheme) && strings.EqualFold(s[:len(remoteScheme)], remoteScheme)
}

// storageOption sets an option of object storage in the spelling of package lance.
func storageOption(name string) func(*Config, any) {
	return func(c *Config, v any) {
		if list, ok := v.([]string); ok {
			if len(list) == 0 {
				return
			}
			v = list[0]
		}
		if c.StorageOptions == nil {
			c.StorageOptions = map[string]string{}
		}
		c.StorageOptions[name] = fmt.Sprint(v)
	}
}

// ambientStorage are the variables that stand in for options left out. The access
// keys go together: half of one and half of another open nothing.
var ambientStorage = []struct {
	option    string
	variables []string
	key       bool
}{
	{"aws_endpoint", []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}, false},
	{"aws_region", []string{"AWS_REGION", "AWS_DEFAULT_REGION"}, false},
	{"aws_access_key_id", []string{"AWS_ACCESS_KEY_ID"}, true},
	{"aws_secret_access_key", []string{"AWS_SECRET_ACCESS_KEY"}, true},
	{"aws_session_token", []string{"AWS_SESSION_TOKEN"}, true},
}

// finishRemote settles a database in object storage.
func (p *parser) finishRemote() error {
	location, err := cleanRemote(p.c.DBPath)
	if err != nil {
		delete(p.values, "dbPath") // it may hold a key that was put there
		return err
	}
	if i := slices.IndexFunc(p.problems, func(err error) bool { return strings.HasPrefix(err.Error(), storageBlock) }); i >= 0 {
		// What is left would reach another bucket's owner, or the same one as another.
		p.c.PathFault = p.problems[i].Error()
		p.c.StorageOptions = nil
		return nil
	}
	options := p.c.StorageOptions
	_, id := options["aws_access_key_id"]
	_, secret := options["aws_secret_access_key"]
	if id != secret {
		return &KeyError{storageBlock, "one of accessKeyId and secretAccessKey", "both, or neither to use those of the environment"}
	}
	for _, ambient := range ambientStorage {
		if _, set := options[ambient.option]; set || (ambient.key && id) {
			continue
		}
		for _, name := range ambient.variables {
			if v := p.env.variable(name); v != "" {
				storageOption(ambient.option)(&p.c, v)
				break
			}
		}
	}
	options = p.c.StorageOptions
	if endpoint := options["aws_endpoint"]; endpoint != "" {
		u, err := url.Parse(endpoint)
		if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") || u.User != nil {
			delete(p.values, storageBlock+".endpoint")
			return &KeyError{storageBlock + ".endpoint", "something else", "https://host[:port], without user and password"}
		}
		if u.Scheme == "http" && options["allow_http"] != "true" {
			return &KeyError{storageBlock + ".endpoint", "an address without TLS", "https://…, or storageOptions.allowHttp set to true"}
		}
		if options["aws_region"] == "" {
			options["aws_region"] = "us-east-1" // every service takes it, and one is needed for the signature
		}
	}
	if p.env.BaseDir == "" {
		return ErrNoHome
	}
	p.c.DBPath, p.c.StateDir = location, filepath.Join(p.env.BaseDir, "memory")
	return nil
}

// cleanRemote gives one spelling to s3://bucket/prefix.
func cleanRemote(s string) (string, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimRight(s[len(remoteScheme):], "/"), "/")
	if bucket == "" || strings.ContainsAny(s, "?#\x00") || strings.ContainsAny(bucket, "@: ") ||
		slices.ContainsFunc(strings.Split(prefix, "/"), func(part string) bool { return part == "." || part == ".." || (part == "" && prefix != "") }) {
		return "", &KeyError{"location", "an s3:// address that is none", "s3://bucket or s3://bucket/prefix; keys and addresses stand in storageOptions"}
	}
	if prefix == "" {
		return remoteScheme + bucket, nil
	}
	return remoteScheme + bucket + "/" + prefix, nil
}

// Locate brings the argument of a flag into the form of dbPath. A path is relative
// to the working directory.
func Locate(s string) (string, error) {
	if isRemote(s) {
		return cleanRemote(s)
	}
	return filepath.Abs(s)
}
