// Answers questions about projects, windows and settings with the code of the real Argo CD: JSON in, JSON out.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"time"
	_ "unsafe" // for the names of unexported methods

	"github.com/gobwas/glob"
	"github.com/sirupsen/logrus"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/settings"
)

//go:linkname activeAt github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1.(*SyncWindows).active
func activeAt(windows *v1alpha1.SyncWindows, at time.Time) (*v1alpha1.SyncWindows, error)

//go:linkname allowedAt github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1.(*SyncWindows).canSyncAtTime
func allowedAt(windows *v1alpha1.SyncWindows, manual bool, at time.Time) (bool, error)

type place struct {
	Server    string `json:"server"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type question struct {
	Ask        string                  `json:"ask"`
	Pattern    string                  `json:"pattern"`
	Text       string                  `json:"text"`
	Separators string                  `json:"separators"`
	Spec       v1alpha1.AppProjectSpec `json:"spec"`
	Group      string                  `json:"group"`
	Kind       string                  `json:"kind"`
	Namespaced bool                    `json:"namespaced"`
	Target     place                   `json:"target"`
	Scoped     []place                 `json:"scoped"`
	Manual     bool                    `json:"manual"`
	At         time.Time               `json:"at"`
	Started    *time.Time              `json:"started"`
	Data       map[string]string       `json:"data"`
}

type answer struct {
	Yes   bool   `json:"yes"`
	Which []int  `json:"which,omitempty"`
	Said  any    `json:"said,omitempty"`
	Fault string `json:"fault,omitempty"`
}

func main() {
	logrus.SetLevel(logrus.PanicLevel)
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		panic(err)
	}
	answers := make([]answer, 0, len(questions))
	for _, each := range questions {
		answers = append(answers, answered(each))
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}

func answered(q question) answer {
	project := v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: q.Spec}
	app := &v1alpha1.Application{
		ObjectMeta: metav1.ObjectMeta{Name: q.Text, Namespace: q.Text},
		Spec: v1alpha1.ApplicationSpec{Destination: v1alpha1.ApplicationDestination{
			Server: q.Target.Server, Name: q.Target.Name, Namespace: q.Target.Namespace,
		}},
	}
	cluster := &v1alpha1.Cluster{Server: q.Target.Server, Name: q.Target.Name}
	switch q.Ask {
	case "glob":
		compiled, err := glob.Compile(q.Pattern, []rune(q.Separators)...)
		if err != nil {
			return answer{Fault: err.Error()}
		}
		return answer{Yes: compiled.Match(q.Text)}
	case "path":
		yes, err := filepath.Match(q.Pattern, q.Text)
		return outcome(yes, err)
	case "source":
		return answer{Yes: project.IsSourcePermitted(v1alpha1.ApplicationSource{RepoURL: q.Text})}
	case "destination":
		yes, err := project.IsDestinationPermitted(cluster, q.Target.Namespace, func(string) ([]*v1alpha1.Cluster, error) {
			var scoped []*v1alpha1.Cluster
			for _, each := range q.Scoped {
				scoped = append(scoped, &v1alpha1.Cluster{Server: each.Server, Name: each.Name})
			}
			return scoped, nil
		})
		return outcome(yes, err)
	case "kind":
		gk := schema.GroupKind{Group: q.Group, Kind: q.Kind}
		return answer{Yes: project.IsGroupKindNamePermitted(gk, q.Text, q.Namespaced)}
	case "namespace":
		return answer{Yes: project.IsAppNamespacePermitted(app, "argocd")}
	case "account":
		user, err := settings.DeriveServiceAccountToImpersonate(&project, app, cluster)
		found := outcome(user != "", err)
		found.Said = user
		return found
	case "matching":
		return answer{Which: positions(q.Spec.SyncWindows, q.Spec.SyncWindows.Matches(app))}
	case "open":
		open, err := activeAt(&q.Spec.SyncWindows, q.At)
		found := outcome(open.HasWindows(), err)
		found.Which = positions(q.Spec.SyncWindows, open)
		return found
	case "allowed at":
		return outcome(allowedAt(&q.Spec.SyncWindows, q.Manual, q.At))
	case "allowed":
		return outcome(q.Spec.SyncWindows.CanSync(q.Manual, q.Started))
	case "settings":
		return answeredSettings(q.Data)
	}
	panic(fmt.Sprintf("nobody knows %q", q.Ask))
}

func outcome(yes bool, err error) answer {
	if err != nil {
		return answer{Fault: err.Error()}
	}
	return answer{Yes: yes}
}

func positions(all v1alpha1.SyncWindows, some *v1alpha1.SyncWindows) []int {
	var found []int
	if some == nil {
		return found
	}
	for position, window := range all {
		for _, each := range *some {
			if each == window {
				found = append(found, position)
			}
		}
	}
	return found
}

func answeredSettings(data map[string]string) answer {
	labels := map[string]string{"app.kubernetes.io/part-of": "argocd"}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: "argocd", Labels: labels}, Data: data}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "argocd-secret", Namespace: "argocd", Labels: labels}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	read := settings.NewSettingsManager(ctx, fake.NewSimpleClientset(config, secret), "argocd")
	ignored, err := read.GetResourceOverrides()
	if err != nil {
		return answer{Fault: err.Error()}
	}
	unnoticed, err := read.GetIgnoreResourceUpdatesOverrides()
	if err != nil {
		return answer{Fault: err.Error()}
	}
	helm, _ := read.GetHelmSettings()
	enabled, _ := read.GetEnabledSourceTypes()
	enforced, _ := read.IsImpersonationEnforced()
	local, _ := read.IsInClusterEnabled()
	filter, err := read.GetResourcesFilter()
	if err != nil {
		return answer{Fault: err.Error()}
	}
	excluded := map[string]bool{}
	for _, kind := range [][2]string{{"", "Pod"}, {"", "Event"}, {"apps", "Deployment"}, {"discovery.k8s.io", "EndpointSlice"}, {"x.example.org", "Thing"}} {
		for _, server := range []string{"https://one", "https://two"} {
			excluded[kind[0]+"/"+kind[1]+" "+server] = filter.IsExcludedResource(kind[0], kind[1], server)
		}
	}
	return answer{Said: map[string]any{
		"ignored": rules(ignored), "unnoticed": rules(unnoticed), "schemes": helm.ValuesFileSchemes, "enabled": enabled,
		"enforced": enforced, "local": local, "excluded": excluded, "masked": sorted(read.GetSensitiveAnnotations()),
		"payload": read.GetMaxWebhookPayloadSize(), "jitter": read.GetWebhookRefreshJitter().Seconds(),
	}}
}

func rules(overrides map[string]v1alpha1.ResourceOverride) map[string][3][]string {
	found := map[string][3][]string{}
	for kind, each := range overrides {
		fields := each.IgnoreDifferences
		all := [3][]string{fields.JSONPointers, fields.JQPathExpressions, fields.ManagedFieldsManagers}
		if len(all[0])+len(all[1])+len(all[2]) > 0 {
			found[kind] = all
		}
	}
	return found
}

func sorted(set map[string]bool) []string {
	names := []string{}
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
