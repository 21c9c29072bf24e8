// Decides with the code of the real Argo CD: policies and questions as JSON in, decisions as JSON out.
package main

import (
	"encoding/json"
	"os"

	"github.com/golang-jwt/jwt/v5"
	"github.com/sirupsen/logrus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	applister "github.com/argoproj/argo-cd/v3/pkg/client/listers/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/server/rbacpolicy"
	"github.com/argoproj/argo-cd/v3/util/assets"
	"github.com/argoproj/argo-cd/v3/util/rbac"
)

type asked struct {
	Claims    map[string]any `json:"claims"`
	Anonymous bool           `json:"anonymous"`
	Resource  string         `json:"resource"`
	Action    string         `json:"action"`
	Name      string         `json:"name"`
}

type scene struct {
	Data     map[string]string                 `json:"data"`
	Scopes   []string                          `json:"scopes"`
	Builtin  string                            `json:"builtin"`
	Projects map[string][]v1alpha1.ProjectRole `json:"projects"`
	Asked    []asked                           `json:"asked"`
}

type told struct {
	Fault   bool            `json:"fault"`
	Allowed []bool          `json:"allowed"`
	Invalid map[string]bool `json:"invalid"`
}

func main() {
	logrus.SetLevel(logrus.PanicLevel)
	var scenes []scene
	if err := json.NewDecoder(os.Stdin).Decode(&scenes); err != nil {
		panic(err)
	}
	found := make([]told, 0, len(scenes))
	for _, each := range scenes {
		found = append(found, answered(each))
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}

func answered(s scene) told {
	found := told{Invalid: map[string]bool{}}
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for name, roles := range s.Projects {
		project := &v1alpha1.AppProject{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "argocd"},
			Spec:       v1alpha1.AppProjectSpec{Roles: roles},
		}
		found.Invalid[name] = project.ValidateProject() != nil
		if err := indexer.Add(project); err != nil {
			panic(err)
		}
	}
	enforcer := rbac.NewEnforcer(nil, "argocd", "argocd-rbac-cm", nil)
	enforcer.SetDefaultRole(s.Data[rbac.ConfigMapPolicyDefaultKey])
	enforcer.SetMatchMode(s.Data[rbac.ConfigMapMatchModeKey])
	builtin := assets.BuiltinPolicyCSV
	if s.Builtin != "" {
		builtin = s.Builtin
	}
	if err := enforcer.SetBuiltinPolicy(builtin); err != nil {
		panic(err)
	}
	if err := enforcer.SetUserPolicy(rbac.PolicyCSV(s.Data)); err != nil {
		found.Fault = true
		return found
	}
	claims := rbacpolicy.NewRBACPolicyEnforcer(enforcer, applister.NewAppProjectLister(indexer).AppProjects("argocd"))
	claims.SetScopes(s.Scopes)
	enforcer.SetClaimsEnforcerFunc(claims.EnforceClaims)
	for _, q := range s.Asked {
		var subject any = jwt.MapClaims(q.Claims)
		if q.Anonymous {
			subject = ""
		}
		found.Allowed = append(found.Allowed, enforcer.Enforce(subject, q.Resource, q.Action, q.Name))
	}
	return found
}
