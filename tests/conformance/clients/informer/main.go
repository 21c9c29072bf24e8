// An informer of each kind that client-go has, on ConfigMaps of one namespace. What happens is told in JSON, a line for
// each event and for each request; a line on stdin asks what the stores hold, the end of stdin ends the program.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"sort"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

var resource = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// One line per thing that happened. Of is the informer: typed, dynamic or metadata.
type line struct {
	Of      string   `json:"of"`
	What    string   `json:"what"`
	Name    string   `json:"name,omitempty"`
	Old     string   `json:"old,omitempty"`
	Version string   `json:"version,omitempty"`
	Path    string   `json:"path,omitempty"`
	Query   string   `json:"query,omitempty"`
	Accept  string   `json:"accept,omitempty"`
	Status  int      `json:"status,omitempty"`
	Names   []string `json:"names,omitempty"`
}

type speaker struct {
	lock sync.Mutex
	out  *json.Encoder
}

func (s *speaker) say(said line) {
	s.lock.Lock()
	defer s.lock.Unlock()
	must(s.out.Encode(said))
}

type traced struct {
	of      string
	speaker *speaker
	next    http.RoundTripper
}

func (t traced) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	asked := line{Of: t.of, What: "request", Path: request.URL.Path, Query: request.URL.RawQuery, Accept: request.Header.Get("Accept")}
	if err == nil {
		asked.Status = response.StatusCode
	}
	t.speaker.say(asked)
	return response, err
}

func events(of string, speaker *speaker) cache.ResourceEventHandlerFuncs {
	told := func(what string, old, new any) {
		said := line{Of: of, What: what}
		if last, gone := new.(cache.DeletedFinalStateUnknown); gone {
			new = last.Obj
		}
		object, err := meta.Accessor(new)
		must(err)
		said.Name, said.Version = object.GetName(), object.GetResourceVersion()
		if old != nil {
			before, err := meta.Accessor(old)
			must(err)
			said.Old = before.GetResourceVersion()
		}
		speaker.say(said)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { told("added", nil, object) },
		UpdateFunc: func(old, new any) { told("updated", old, new) },
		DeleteFunc: func(object any) { told("deleted", nil, object) },
	}
}

func informerOf(of string, config *rest.Config, namespace string) cache.SharedIndexInformer {
	switch of {
	case "typed":
		client, err := kubernetes.NewForConfig(config)
		must(err)
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
		return factory.Core().V1().ConfigMaps().Informer()
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		must(err)
		return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil).ForResource(resource).Informer()
	default:
		client, err := metadata.NewForConfig(config)
		must(err)
		return metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, func(*metav1.ListOptions) {}).ForResource(resource).Informer()
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the cluster")
	namespace := flag.String("namespace", "", "the namespace")
	flag.Parse()
	context, cancel := context.WithCancel(context.Background())
	defer cancel()
	speaker := &speaker{out: json.NewEncoder(os.Stdout)}
	stores := map[string]cache.Store{}
	for _, of := range []string{"typed", "dynamic", "metadata"} {
		config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
		must(err)
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return traced{of, speaker, next} })
		informer := informerOf(of, config, *namespace)
		_, err = informer.AddEventHandler(events(of, speaker))
		must(err)
		go informer.RunWithContext(context)
		if !cache.WaitForCacheSync(context.Done(), informer.HasSynced) {
			must(fmt.Errorf("the %s informer did not sync", of))
		}
		speaker.say(line{Of: of, What: "synced"})
		stores[of] = informer.GetStore()
	}
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		for of, store := range stores {
			keys := store.ListKeys()
			sort.Strings(keys)
			speaker.say(line{Of: of, What: "holds", Names: keys})
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
