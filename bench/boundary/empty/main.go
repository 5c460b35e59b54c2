// Empty is a library with an export that does nothing: what a call from C into Go costs by itself.
package main

import "C"

//export empty_call
func empty_call(n int32) int32 { return n }

func main() {}
