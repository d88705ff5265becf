// Package arch holds no code of the product: its tests keep the product's
// shape. They fail on an import that goes up a layer, on a file past the size
// limit, and on a document that names a file which is not there.
package arch
