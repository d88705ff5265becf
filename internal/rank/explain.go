package rank

import (
	"fmt"
	"strconv"
	"strings"
)

// Node explains one number: what it is, its value, how it came about, and what
// it was made of.
type Node struct {
	Name     string  `json:"name"`
	Value    float64 `json:"value"`
	Message  string  `json:"message,omitempty"`
	Children []*Node `json:"children,omitempty"`
}

// Explain makes a node.
func Explain(name string, value float64, message string, children ...*Node) *Node {
	return &Node{Name: name, Value: value, Message: message, Children: children}
}

// Add appends children and returns n, so that trees can be written inline.
func (n *Node) Add(children ...*Node) *Node {
	n.Children = append(n.Children, children...)
	return n
}

// String renders the tree as indented lines, one a node, four digits after the
// point at most: enough to check a sum by hand, few enough to be stable between
// processors.
func (n *Node) String() string {
	var b strings.Builder
	n.render(&b, 0)
	return b.String()
}

func (n *Node) render(b *strings.Builder, depth int) {
	if n == nil {
		return
	}
	fmt.Fprintf(b, "%s%s %s", strings.Repeat("  ", depth), n.Name, format(n.Value))
	if n.Message != "" {
		b.WriteString(": " + n.Message)
	}
	b.WriteByte('\n')
	for _, child := range n.Children {
		child.render(b, depth+1)
	}
}

func format(v float64) string {
	s := strconv.FormatFloat(v, 'f', 4, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}
