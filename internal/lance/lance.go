// Package lance knows LanceDB databases, tables, predicates, vectors and Arrow;
// it knows nothing of what the rows mean.
//
// A DB is a directory or bucket of tables. A Table is read and written through
// two doors that lead into the same room: github.com/lancedb/lancedb-go for
// what it can do, our own native functions for search with scores, upserts and
// maintenance. Reads always see the newest commit, of any process.
//
// Caveats: Rows hold Go memory and are released with Release. A read whose
// context ends returns at once. A write whose context ends is stopped, and may
// by then have been committed: ErrTimeout on a write means "look before you
// repeat". Nothing may be used after Close.
package lance

import (
	"context"
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/lancedb/lancedb-go/pkg/contracts"
	"github.com/lancedb/lancedb-go/pkg/lancedb"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

// Options says how to reach a database. The zero value suits a local directory.
type Options struct {
	// StorageOptions are passed to the object store of a remote database:
	// aws_access_key_id, aws_secret_access_key, aws_session_token, aws_region,
	// aws_endpoint, allow_http.
	StorageOptions map[string]string
}

// DB is an open database. Its methods may be called from several goroutines.
type DB struct {
	uri     string
	storage map[string]string
	conn    contracts.IConnection
}

// Connect opens the database at uri, a directory (made if it is missing) or s3:// URI.
func Connect(ctx context.Context, uri string, opts Options) (*DB, error) {
	const op = "connecting to database"
	if uri == "" || strings.ContainsRune(uri, 0) {
		return nil, invalid(op, uri, "the location is empty or contains NUL; set dbPath to a directory")
	}
	options, err := connectionOptions(opts.StorageOptions)
	if err != nil {
		return nil, invalid(op, uri, "%v", err)
	}
	conn, err := await(ctx, func() (contracts.IConnection, error) {
		return lancedb.Connect(context.WithoutCancel(ctx), uri, options)
	}, func(late contracts.IConnection) { late.Close() })
	if err != nil {
		return nil, fail(op, uri, err)
	}
	return &DB{uri: uri, storage: opts.StorageOptions, conn: conn}, nil
}

// TableNames lists the tables, sorted.
func (db *DB) TableNames(ctx context.Context) ([]string, error) {
	names, err := await(ctx, func() ([]string, error) {
		return db.conn.TableNames(context.WithoutCancel(ctx))
	}, nil)
	return names, fail("listing tables of", db.uri, err)
}

// CreateTable makes an empty table (file version 2.1, which older readers understand) and opens it.
func (db *DB) CreateTable(ctx context.Context, name string, schema *arrow.Schema) (*Table, error) {
	const op = "creating table"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fail(op, name, err)
	}
	s, err := lancedb.NewSchema(schema)
	if err != nil {
		return nil, fail(op, name, err)
	}
	// A write runs to its end: giving up half-way would leave its outcome unknown.
	table, err := db.conn.CreateTable(context.WithoutCancel(ctx), name, s)
	if err != nil {
		return nil, fail(op, name, err)
	}
	return db.finishOpen(ctx, op, name, table)
}

// OpenTable opens an existing table.
func (db *DB) OpenTable(ctx context.Context, name string) (*Table, error) {
	const op = "opening table"
	if err := checkName(op, name); err != nil {
		return nil, err
	}
	table, err := await(ctx, func() (contracts.ITable, error) {
		return db.conn.OpenTable(context.WithoutCancel(ctx), name)
	}, func(late contracts.ITable) { late.Close() })
	if err != nil {
		return nil, fail(op, name, err)
	}
	return db.finishOpen(ctx, op, name, table)
}

// finishOpen opens the second door to a table whose first is open.
func (db *DB) finishOpen(ctx context.Context, op, name string, table contracts.ITable) (*Table, error) {
	second, err := native.OpenTable(ctx, db.uri, name, db.storage)
	if err != nil {
		table.Close()
		return nil, fail(op, name, err)
	}
	return &Table{name: name, base: table, native: second}, nil
}

// DropTable deletes a table and its files.
func (db *DB) DropTable(ctx context.Context, name string) error {
	const op = "dropping table"
	if err := checkName(op, name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fail(op, name, err)
	}
	return fail(op, name, db.conn.DropTable(context.WithoutCancel(ctx), name))
}

// Close closes the database; its open tables stay usable.
func (db *DB) Close() error { return fail("closing database", db.uri, db.conn.Close()) }

// LiveHandles counts native handles by kind; all are zero when everything is closed.
func LiveHandles() map[string]int64 { return native.LiveHandles() }

func checkName(op, name string) error {
	if name == "" || strings.ContainsRune(name, 0) {
		return invalid(op, name, "the table name is empty or contains NUL")
	}
	return nil
}

// connectionOptions translates storage options into the struct lancedb-go passes on.
func connectionOptions(storage map[string]string) (*contracts.ConnectionOptions, error) {
	if len(storage) == 0 {
		return nil, nil
	}
	s3 := &contracts.S3Config{}
	all := &contracts.StorageOptions{S3Config: s3}
	fields := map[string]**string{
		"aws_access_key_id": &s3.AccessKeyID, "aws_secret_access_key": &s3.SecretAccessKey,
		"aws_session_token": &s3.SessionToken, "aws_region": &s3.Region, "aws_endpoint": &s3.Endpoint,
	}
	for key, value := range storage {
		field, ok := fields[key]
		switch {
		case ok:
			*field = &value
		case key == "allow_http":
			yes := value == "true"
			all.AllowHTTP = &yes
		default:
			return nil, fmt.Errorf("storage option %q is not known; use the aws_ options or allow_http", key)
		}
	}
	return &contracts.ConnectionOptions{StorageOptions: all}, nil
}

// await runs fn, which knows no context, and returns when it or ctx is over.
// A result that comes too late goes to discard.
func await[T any](ctx context.Context, fn func() (T, error), discard func(T)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if ctx.Done() == nil {
		return fn()
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := fn()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		go func() {
			if o := <-done; o.err == nil && discard != nil {
				discard(o.value)
			}
		}()
		return none, ctx.Err()
	}
}
