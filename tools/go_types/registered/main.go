// Writes down which kinds the API server can decode, served or not, and what it converts them to. To run it, which builds
// most of Kubernetes first:
//
//	cd tools/go_types/registered && GOFLAGS=-mod=mod go run . > ../../../src/plumbline/apiserver/decoding/registered.txt
//
// How the lines read is said where they are read: src/plumbline/apiserver/decoding/registered.py.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

// everywhere are the kinds that each version of each group has.
var everywhere = map[string]bool{
	"CreateOptions": true, "DeleteOptions": true, "GetOptions": true, "ListOptions": true, "PatchOptions": true,
	"UpdateOptions": true, "WatchEvent": true,
}

func main() {
	write("", legacyscheme.Scheme)
	write("apiextensions.k8s.io", apiextensions.Scheme)
	write("apiregistration.k8s.io", aggregator.Scheme)
}

// write says for each group-version what is registered in it; the first two have a scheme of their own beside the main one.
func write(owner string, scheme *runtime.Scheme) {
	kinds := map[string][]string{}
	for kind := range scheme.AllKnownTypes() {
		if kind.Version != runtime.APIVersionInternal && !everywhere[kind.Kind] && !isList(scheme, kind) {
			version := kind.GroupVersion().String()
			kinds[version] = append(kinds[version], word(scheme, kind))
		}
	}
	var lines []string
	for version, words := range kinds {
		sort.Strings(words)
		lines = append(lines, strings.TrimSpace(owner+" "+version+": "+strings.Join(words, " ")))
	}
	sort.Strings(lines)
	fmt.Fprintln(os.Stdout, strings.Join(lines, "\n"))
}

// word is the kind, `*` where its list is registered too, and the package of its internal type where that is not named
// after the group (`-` where there is none).
func word(scheme *runtime.Scheme, kind schema.GroupVersionKind) string {
	text := kind.Kind
	if scheme.Recognizes(kind.GroupVersion().WithKind(kind.Kind + "List")) {
		text += "*"
	}
	usual, _, _ := strings.Cut(kind.Group, ".")
	if usual == "" {
		usual = "core"
	}
	internal, known := scheme.AllKnownTypes()[kind.GroupKind().WithVersion(runtime.APIVersionInternal)]
	switch {
	case !known:
		return text + "=-"
	case strings.HasPrefix(internal.String(), usual+"."):
		return text
	}
	found, _, _ := strings.Cut(internal.String(), ".")
	return text + "=" + found
}

func isList(scheme *runtime.Scheme, kind schema.GroupVersionKind) bool {
	item, isList := strings.CutSuffix(kind.Kind, "List")
	return isList && item != "" && scheme.Recognizes(kind.GroupVersion().WithKind(item))
}
