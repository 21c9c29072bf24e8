// Serves Git over ssh on loopback: sshd PORT KEYS MOUNT FOLDER. Host keys and the one key that may come in are those of KEYS; what begins with
// MOUNT is in FOLDER. Ends as soon as nobody holds its standard input.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

func main() {
	port, keys, mount, folder := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		panic(err)
	}
	settings := server(keys)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		connection, err := listener.Accept()
		if err != nil {
			panic(err)
		}
		go serve(connection, settings, mount, folder)
	}
}

func server(keys string) *ssh.ServerConfig {
	known, _, _, _, err := ssh.ParseAuthorizedKey(read(keys, "id_rsa.pub"))
	if err != nil {
		panic(err)
	}
	settings := &ssh.ServerConfig{
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if !bytes.Equal(key.Marshal(), known.Marshal()) {
				return nil, errors.New("not a key that may come in")
			}
			return nil, nil
		},
	}
	for _, kind := range []string{"rsa", "ecdsa", "ed25519"} {
		key, err := ssh.ParsePrivateKey(read(keys, "ssh_host_"+kind+"_key"))
		if err != nil {
			panic(err)
		}
		settings.AddHostKey(key)
	}
	return settings
}

func read(folder, name string) []byte {
	content, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		panic(err)
	}
	return content
}

func serve(connection net.Conn, settings *ssh.ServerConfig, mount, folder string) {
	_, channels, requests, err := ssh.NewServerConn(connection, settings)
	if err != nil {
		_ = connection.Close()
		return
	}
	go ssh.DiscardRequests(requests)
	for asked := range channels {
		if asked.ChannelType() != "session" {
			_ = asked.Reject(ssh.UnknownChannelType, "only sessions")
			continue
		}
		if channel, requests, err := asked.Accept(); err == nil {
			go session(channel, requests, mount, folder)
		}
	}
}

func session(channel ssh.Channel, requests <-chan *ssh.Request, mount, folder string) {
	protocol := ""
	for request := range requests {
		switch request.Type {
		case "env":
			var pair struct{ Name, Value string }
			if ssh.Unmarshal(request.Payload, &pair) == nil && pair.Name == "GIT_PROTOCOL" {
				protocol = pair.Value
			}
			_ = request.Reply(true, nil)
		case "exec":
			var asked struct{ Command string }
			_ = request.Reply(ssh.Unmarshal(request.Payload, &asked) == nil, nil)
			go func() {
				code := git(channel, asked.Command, protocol, mount, folder)
				_, _ = channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(code)}))
				_ = channel.Close()
			}()
		default:
			_ = request.Reply(false, nil)
		}
	}
}

// Of what a shell would do, only the two programs that git asks for.
func git(channel ssh.Channel, command, protocol, mount, folder string) int {
	program, quoted, _ := strings.Cut(command, " ")
	if program != "git-upload-pack" && program != "git-receive-pack" {
		fmt.Fprintf(channel.Stderr(), "%s is not served\n", program)
		return 127
	}
	path := strings.ReplaceAll(strings.Trim(quoted, "'"), `'\''`, "'")
	if rest, below := strings.CutPrefix(path, mount+"/"); below {
		path = filepath.Join(folder, rest)
	}
	run := exec.Command("git", strings.TrimPrefix(program, "git-"), path)
	run.Env = append(os.Environ(), "GIT_PROTOCOL="+protocol, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	run.Stdout, run.Stderr = channel, channel.Stderr()
	input, err := run.StdinPipe()
	if err != nil || run.Start() != nil {
		return 1
	}
	go func() {
		_, _ = io.Copy(input, channel)
		_ = input.Close()
	}()
	_ = run.Wait()
	return run.ProcessState.ExitCode()
}
