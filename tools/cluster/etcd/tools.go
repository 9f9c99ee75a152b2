//go:build tools

// Package tools holds the versions of what the specs run; it is never compiled.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
)
