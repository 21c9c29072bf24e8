// Lets clients that speak gRPC reach a server that has only the REST of the same API: what upstream's own server does by generated
// code from REST to gRPC, this does the other way around, from the same annotations. Everything that is not gRPC passes as it is.
//
// Usage: gateway LISTEN URL
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strings"

	gogo "github.com/gogo/protobuf/proto"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	_ "github.com/argoproj/argo-cd/v3/pkg/apiclient"
	_ "github.com/argoproj/argo-cd/v3/reposerver/apiclient"
)

const prefix = "server/"

var files = []string{
	"account/account", "application/application", "applicationset/applicationset", "certificate/certificate", "cluster/cluster",
	"gpgkey/gpgkey", "notification/notification", "project/project", "repocreds/repocreds", "repository/repository",
	"session/session", "settings/settings", "version/version",
}

var braces = regexp.MustCompile(`\{([^}=]+)(=[^}]*)?\}`)

type method struct {
	input, output  reflect.Type
	verb, path     string
	body           string
	answers, asked bool // a stream of answers; a stream of questions
}

type gateway struct {
	methods map[string]method
	server  *url.URL
	client  http.Client
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	server, err := url.Parse(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	gate := &gateway{methods: map[string]method{}, server: server}
	for _, name := range files {
		gate.read(prefix + name + ".proto")
	}
	rpc := grpc.NewServer(grpc.UnknownServiceHandler(gate.serve), grpc.MaxRecvMsgSize(100<<20))
	rest := httputil.NewSingleHostReverseProxy(server)
	rest.FlushInterval = -1
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			rpc.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
	listening := &http.Server{Addr: os.Args[1], Handler: handler, Protocols: new(http.Protocols)}
	listening.Protocols.SetHTTP1(true)
	listening.Protocols.SetUnencryptedHTTP2(true)
	log.Fatal(listening.ListenAndServe())
}

func (g *gateway) read(name string) {
	packed := gogo.FileDescriptor(name)
	if packed == nil {
		log.Fatalf("no descriptor of %s", name)
	}
	unpacking, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		log.Fatal(err)
	}
	raw, err := io.ReadAll(unpacking)
	if err != nil {
		log.Fatal(err)
	}
	var file descriptorpb.FileDescriptorProto
	if err := proto.Unmarshal(raw, &file); err != nil {
		log.Fatal(err)
	}
	for _, service := range file.GetService() {
		for _, each := range service.GetMethod() {
			rule, _ := proto.GetExtension(each.GetOptions(), annotations.E_Http).(*annotations.HttpRule)
			if rule == nil {
				continue
			}
			found := method{
				input: message(each.GetInputType()), output: message(each.GetOutputType()), body: rule.GetBody(),
				answers: each.GetServerStreaming(), asked: each.GetClientStreaming(),
			}
			found.verb, found.path = where(rule)
			g.methods[fmt.Sprintf("/%s.%s/%s", file.GetPackage(), service.GetName(), each.GetName())] = found
		}
	}
}

func where(rule *annotations.HttpRule) (string, string) {
	switch pattern := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return "GET", pattern.Get
	case *annotations.HttpRule_Put:
		return "PUT", pattern.Put
	case *annotations.HttpRule_Post:
		return "POST", pattern.Post
	case *annotations.HttpRule_Delete:
		return "DELETE", pattern.Delete
	case *annotations.HttpRule_Patch:
		return "PATCH", pattern.Patch
	}
	return "", ""
}

func message(name string) reflect.Type {
	found := gogo.MessageType(strings.TrimPrefix(name, "."))
	if found == nil {
		log.Fatalf("no message %s", name)
	}
	return found.Elem()
}

func (g *gateway) serve(_ any, stream grpc.ServerStream) error {
	name, _ := grpc.MethodFromServerStream(stream)
	called, ok := g.methods[name]
	if !ok || called.asked {
		log.Printf("%s: not here", name)
		return status.Errorf(codes.Unimplemented, "%s has no REST", name)
	}
	question := reflect.New(called.input).Interface()
	if err := stream.RecvMsg(question); err != nil {
		return err
	}
	request, err := g.request(stream, called, question)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	answer, err := g.client.Do(request)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	defer answer.Body.Close()
	log.Printf("%s: %s %s: %s", name, request.Method, request.URL, answer.Status)
	if called.answers && answer.StatusCode < 400 {
		return pieces(stream, called, answer.Body)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return status.Error(codes.Unavailable, err.Error())
	}
	if answer.StatusCode >= 400 {
		return refused(answer.StatusCode, body)
	}
	return sent(stream, called, body)
}

func (g *gateway) request(stream grpc.ServerStream, called method, question any) (*http.Request, error) {
	text, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	path := braces.ReplaceAllStringFunc(called.path, func(found string) string {
		return url.PathEscape(taken(fields, strings.Split(braces.FindStringSubmatch(found)[1], ".")))
	})
	var body io.Reader
	query := url.Values{}
	switch called.body {
	case "":
		flatten(query, "", fields)
	case "*":
		body = bytes.NewReader(text)
	default:
		part, err := json.Marshal(fields[called.body])
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(part)
		delete(fields, called.body)
		flatten(query, "", fields)
	}
	target := strings.TrimSuffix(g.server.String(), "/") + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(stream.Context(), called.verb, target, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if known, ok := metadata.FromIncomingContext(stream.Context()); ok {
		if tokens := known.Get("token"); len(tokens) > 0 && tokens[0] != "" {
			request.Header.Set("Authorization", "Bearer "+tokens[0])
		}
	}
	return request, nil
}

// The value at a path of names, which is then no longer there.
func taken(fields map[string]any, names []string) string {
	for _, name := range names[:len(names)-1] {
		fields, _ = fields[name].(map[string]any)
	}
	name := names[len(names)-1]
	value, ok := fields[name]
	if !ok {
		return ""
	}
	delete(fields, name)
	return fmt.Sprint(value)
}

func flatten(query url.Values, name string, value any) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		for key, each := range value {
			if name != "" {
				key = name + "." + key
			}
			flatten(query, key, each)
		}
	case []any:
		for _, each := range value {
			query.Add(name, fmt.Sprint(each))
		}
	default:
		query.Set(name, fmt.Sprint(value))
	}
}

func pieces(stream grpc.ServerStream, called method, body io.Reader) error {
	reading := json.NewDecoder(body)
	for {
		var piece struct {
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := reading.Decode(&piece); err == io.EOF {
			return nil
		} else if err != nil {
			return status.Error(codes.Unavailable, err.Error())
		}
		if piece.Error != nil {
			return refused(http.StatusInternalServerError, piece.Error)
		}
		if err := sent(stream, called, piece.Result); err != nil {
			return err
		}
	}
}

func sent(stream grpc.ServerStream, called method, body []byte) error {
	answer := reflect.New(called.output).Interface()
	if len(body) > 0 {
		if err := json.Unmarshal(body, answer); err != nil {
			return status.Errorf(codes.Internal, "cannot read the answer: %s: %.300s", err, body)
		}
	}
	return stream.SendMsg(answer)
}

func refused(code int, body []byte) error {
	var told struct {
		Code    codes.Code
		Message string
		Error   string
	}
	if json.Unmarshal(body, &told) != nil || told.Code == codes.OK {
		return status.Errorf(codes.Unknown, "%d: %.300s", code, body)
	}
	if told.Message == "" {
		told.Message = told.Error
	}
	return status.Error(told.Code, told.Message)
}
