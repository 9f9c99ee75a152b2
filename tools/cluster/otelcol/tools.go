//go:build tools

// Package tools holds the version of what builds the collector; it is never compiled.
package tools

import (
	_ "go.opentelemetry.io/collector/cmd/builder"
)
