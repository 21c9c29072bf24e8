"""Templates that are given to Go and to us alike. One a line; `⏎` stands for a line break."""

VALUE = {
    "name": "web",
    "title": "The Quick brown fox",
    "accent": "é-ü",
    "n": 3,
    "big": 12345678901,
    "neg": -7,
    "f": 2.5,
    "whole": 3.0,
    "large": 1234567.0,
    "huge": 1e21,
    "tiny": 0.00001,
    "yes": True,
    "no": False,
    "nil": None,
    "empty": "",
    "none": [],
    "blank": {},
    "list": ["x", "y", "z"],
    "mixed": ["a", 1, 2.5, None, True, {"k": "v"}, [1, 2]],
    "nums": [3, 1, 2],
    "map": {"b": 2, "a": 1, "c": {"d": {"e": "deep"}}},
    "items": [{"name": "one", "n": 1}, {"name": "two", "n": 2}],
    "html": "<a href=\"x\">'&'</a>",
    "lines": "one\ntwo\nthree",
    "json": '{"a": [1, 2.5, "x"], "b": null}',
    "when": "2026-03-04T05:06:07Z",
    "offset": "2026-03-04T05:06:07+02:30",
}

LANGUAGE = r"""
plain
{{.name}}
{{ .name }} and {{.n}}
{{.missing}}
{{.missing.deeper}}
{{.nil}}
{{.nil.x}}
{{.name.x}}
{{.map.c.d.e}}
{{.map.c.x.e}}
{{.map}}
{{.list}}
{{.mixed}}
{{.f}} {{.whole}} {{.large}} {{.huge}} {{.tiny}} {{.big}}
{{1.0}} {{1e6}} {{1e7}} {{1e20}} {{1e21}} {{123456789.5}} {{0.0001}} {{0.00001}} {{1e-7}}
{{true}} {{false}} {{"s"}} {{`raw`}} {{'a'}} {{0x1F}} {{0b101}} {{0o17}} {{1_000}} {{-3}} {{+4}}
{{nil}}
{{9223372036854775808}}
{{99999999999999999999}}
{{"\u00e9\x41\t\"q\""}}
{{"bad \q"}}
{{'ab'}}
{{"unterminated}}
{{`unterminated}}
{{'x
{{.name
{{.name}
{{(.name}}
{{.name)}}
{{}}
{{ | upper}}
{{.name | }}
{{.name | "x"}}
{{.name | 1}}
{{if}}x{{end}}
{{if .yes}}x
{{end}}
{{else}}
{{if .yes}}a{{else}}b{{else}}c{{end}}
{{if .yes}}a{{else}}b{{end}}
{{if .no}}a{{else if .yes}}b{{else}}c{{end}}
{{if .none}}a{{else if .blank}}b{{else}}c{{end}}
{{if .empty}}1{{end}}{{if .nil}}2{{end}}{{if .missing}}3{{end}}{{if .n}}4{{end}}{{if 0}}5{{end}}{{if 0.0}}6{{end}}
{{with .map.c}}{{.d.e}}{{end}}
{{with .missing}}x{{else}}none{{end}}
{{with .missing}}x{{else with .name}}{{.}}{{else}}z{{end}}
{{with $x := .name}}{{$x}}{{.}}{{end}}
{{with .}}{{.name}}{{end}}
{{range .list}}[{{.}}]{{end}}
{{range $e := .list}}[{{$e}}]{{end}}
{{range $i, $e := .list}}{{$i}}:{{$e}} {{end}}
{{range $k, $v := .map}}{{$k}}={{$v}};{{end}}
{{range .none}}x{{else}}empty{{end}}
{{range .missing}}x{{else}}empty{{end}}
{{range .nil}}x{{else}}empty{{end}}
{{range 3}}{{.}},{{end}}
{{range $i := 3}}{{$i}},{{end}}
{{range $i, $j := 3}}{{$i}},{{end}}
{{range 0}}x{{else}}zero{{end}}
{{range .n}}{{.}}{{end}}
{{range .name}}{{.}}{{end}}
{{range .yes}}x{{end}}
{{range .list}}{{if eq . "y"}}{{break}}{{end}}{{.}}{{end}}
{{range .list}}{{if eq . "y"}}{{continue}}{{end}}{{.}}{{end}}
{{range $i, $e := .list}}{{range $.nums}}{{if eq . 1}}{{break}}{{end}}{{.}}{{end}}{{$e}}{{end}}
{{break}}
{{range .list}}{{break x}}{{end}}
{{range .items}}{{.name}}={{.n}} {{end}}
{{range .list}}{{.x}}{{end}}
{{range $e := .list}}{{$e.x}}{{end}}
{{range .mixed}}{{.}}|{{end}}
{{range .mixed}}{{.x}}{{end}}
{{$x := .name}}{{$x}}
{{$x := 1}}{{$x = 2}}{{$x}}
{{$x := 1}}{{if true}}{{$x := 2}}{{end}}{{$x}}
{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}
{{$x}}
{{$x = 1}}
{{$x, $y := .list}}
{{range $a, $b, $c := .list}}{{end}}
{{range $i, 3 := .list}}{{end}}
{{$x := .map}}{{$x.c.d.e}}
{{$.name}}
{{range .list}}{{$.name}}{{end}}
{{define "T"}}<{{.}}>{{end}}{{template "T" .name}}{{template "T"}}
{{define "T"}}<{{.name}}>{{end}}{{template "T" .}}
{{define "T"}}{{$.name}}{{end}}{{template "T" .}}
{{template "nowhere"}}
{{template .name}}
{{block "B" .name}}[{{.}}]{{end}}
{{define "T"}}a{{end}}{{define "T"}}b{{end}}
{{define "T"}}a{{end}}{{define "T"}} {{end}}{{template "T"}}
{{define T}}a{{end}}
{{define "T"}}a
{{if .yes}}{{define "T"}}a{{end}}{{end}}
{{define "T"}}{{$x}}{{end}}{{$x := 1}}
{{define "T"}}{{template "T" .}}{{end}}x
{{- .name -}}
a {{- .name -}} b
a  {{- /* gone */ -}}  b
a {{/* kept */}} b
a {{- /* kept */}} b
{{/* unclosed
{{/* x */ .name}}
{{-3}} {{- 3}} {{3 -}} x
a {{-.name}}
{{.name -}}⏎⏎  x
x⏎  {{- .name}}⏎{{.n}}
{{(.map).c.d.e}}
{{(index .items 0).name}}
{{((.name))}}
{{(.name).x}}
{{(1).x}}
{{1.x}}
{{"a".x}}
{{true.x}}
{{nil.x}}
{{.x.}}
{{..x}}
{{.name .n}}
{{.name | .n}}
{{3 4}}
{{"a" "b"}}
{{. | .name}}
{{$x := 1}}{{$x 2}}
{{foo}}
{{.foo bar}}
{{ .name, }}
{{ ? }}
{{ é }}
{{ .é }}
{{ .name! }}
{{ $x! }}
{{ 3x }}
{{ 0x }}
{{ 1.2.3 }}
{{ :x }}
{{ x := 3 }}
⏎⏎{{ .name.x }}
⏎ é {{ .name.x }}
⏎⏎{{ foo }}
{{ .name⏎ .x }}
{{ if .yes }}⏎{{ .name.x }}⏎{{ end }}
{{ if .yes }}⏎{{ range .list }}⏎{{ end }}
{{ "a⏎b" }}
{{ (⏎.name⏎
{{and .yes .name}} {{and .no .name}} {{or .no .name}} {{or .empty .none}} {{not .yes}} {{not .nil}}
{{and .no (index .list 10)}} {{or .yes (index .list 10)}}
{{and}}
{{not}}
{{.yes | and .name}} {{.no | or .empty}}
{{eq 1 1}} {{eq 1 2 1}} {{eq "a" "b"}} {{eq 1.5 1.5}} {{eq true false}} {{eq .n 3}} {{eq .nil nil}}
{{eq 1 "a"}}
{{eq 1 1.0}}
{{eq .missing "a"}} {{eq .nil .missing}} {{ne .missing "x"}}
{{eq .list .list}}
{{eq .map .list}}
{{eq}}
{{eq 1}}
{{lt 1 2}} {{lt 2 1}} {{le 1 1}} {{gt 2 1}} {{ge 1 2}} {{lt "a" "b"}} {{lt 1.5 2.5}}
{{lt 1 "a"}}
{{lt .nil 1}}
{{lt true false}}
{{lt .list .list}}
{{len .name}} {{len .accent}} {{len .list}} {{len .map}} {{len "日本"}}
{{len .n}}
{{len .nil}}
{{len .missing}}
{{len nil}}
{{index .list 1}} {{index .map "a"}} {{index .map "c" "d" "e"}} {{index .name 0}} {{index .map "nope"}}
{{index .list 3}}
{{index .list 10}}
{{index .list -1}}
{{index .list "x"}}
{{index .map 1}}
{{index .n 1}}
{{index .nil 1}}
{{index .map "nope" "x"}}
{{index .list nil}}
{{slice .name 1}} {{slice .name 1 2}} {{slice .list 1}} {{slice .accent 0 2}}
{{print 1 2 "a" "b" 3 4}} {{print "a" 1 true nil}} {{print}} {{println 1 "a"}}
{{html .html}} {{js .html}} {{urlquery .title "é&="}}
{{html .nil}}
{{.name | html | printf "%s!"}}
{{printf "%d %s %v %q %x %X %o %b %c %U" 10 "s" .map "q\n" 255 255 8 5 65 9731}}
{{printf "%5d|%-5d|%05d|%+d|% d" 42 42 42 42 42}}
{{printf "%5s|%-5s|%.2s|%05s" "ab" "ab" "abc" "ab"}}
{{printf "%f %.2f %8.3f %e %g %G" 1.5 2.345 3.14159 12345.678 0.00001 1e21}}
{{printf "%t %v %T %T %T %T %T" true nil 1 "s" .map .list .n}}
{{printf "%d" "s"}} {{printf "%s" 1}} {{printf "%z" 1}} {{printf "%!" 1}} {{printf "%"}}
{{printf "%d %d" 1}} {{printf "%d" 1 2}} {{printf "%[2]d %[1]d" 1 2}} {{printf "%[3]d" 1}} {{printf "%*d" 5 1}}
{{printf "%v %+v %#v" .map .map .map}} {{printf "%#v" .list}} {{printf "%#v" "a\"b"}} {{printf "%#x" 255}}
{{printf "%s" .list}} {{printf "%q" .list}} {{printf "%d" .nums}} {{printf "%s" .nil}} {{printf "%v" .mixed}}
{{printf "%x" "hello"}} {{printf "% x" "hello"}} {{printf "%X" "hi"}} {{printf "%q" 65}} {{printf "%+q" "é"}} {{printf "%#q" "a"}}
{{printf "%6.2f|%-8.1f|%+.1f|%08.3f" 3.14159 2.5 1.0 -3.14159}}
{{printf "%3c|%-3c|%%" 65 66}}
{{printf 1}}
{{printf}}
{{printf .missing}}
{{print .missing}}
{{upper .missing}}
{{upper .nil}}
{{upper 1}}
{{upper .n}}
{{.n | upper}}
{{.nil | upper}}
{{upper}}
{{upper "a" "b"}}
{{trunc .n "abc"}}
{{trunc "x" "abc"}}
{{ternary 1 2 .n}}
{{ternary 1 2 3}}
{{get .list "x"}}
{{get .missing "x"}}
{{get nil "x"}}
{{call .parse "2026-01-01T00:00:00Z"}}
{{call .name}}
{{call .nil}}
{{call .parse}}
{{call .parse 1}}
{{.parse "x"}}
{{(call .parse .when).Year}} {{(call .parse .when).Month}} {{(call .parse .when).Weekday}} {{(call .parse .when).YearDay}}
{{(call .parse .when).Unix}} {{(call .parse .when).Format "Jan _2 2006 03:04:05.000 PM MST -07:00 Z0700"}}
{{(call .parse .offset).Format "2006-01-02T15:04:05Z07:00"}} {{(call .parse .offset).UTC}} {{call .parse .offset}}
{{(call .parse .when).Nope}}
{{(call .parse .when).Format}}
{{(call .parse .when).Format 1}}
{{((call .parse .when).Sub (call .parse .offset)).Hours}} {{(call .parse .when).Sub (call .parse .offset)}}
{{(call .parse .when).Before (call .parse .offset)}} {{(call .parse .when).After (call .parse .offset)}}
{{(call .parse .when).AddDate 0 1 30}}
{{(call .parse "nope").Year}}
{{with call .parse .when}}{{.Day}}{{end}}
"""

SPRIG = r"""
{{upper .title}} {{lower .title}} {{title "foo bar-baz o'neil"}} {{untitle "Foo Bar"}} {{swapcase "aBc DeF"}}
{{trim "  a b  "}}| {{trimAll "$" "$5.00$"}} {{trimSuffix "-" "a-"}} {{trimPrefix "-" "-a"}} {{nospace " a b c "}}
{{initials "First Try"}} {{repeat 3 "ab"}} {{substr 0 3 "hello"}} {{substr -1 3 "hello"}} {{substr 1 -1 "hello"}}
{{trunc 3 "hello"}} {{trunc -3 "hello"}} {{trunc 9 "hello"}} {{trunc -9 "hello"}} {{trunc 2 .accent}}
{{abbrev 5 "hello world"}} {{abbrev 3 "hello"}} {{abbrevboth 5 10 "1234 5678 9123"}} {{abbrevboth 1 4 "abcdefg"}}
{{contains "cat" "catch"}} {{hasPrefix "cat" "catch"}} {{hasSuffix "ch" "catch"}}
{{quote "a" 1 nil "b\"c"}} {{squote "a" 1 "b'c"}} {{cat "a" 1 nil true}} {{quote .nil}}
{{indent 4 .lines}}
{{nindent 2 .lines}}
{{replace " " "-" .title}} {{replace "" "-" "ab"}} {{plural "one" "many" 1}} {{plural "one" "many" 2}}
{{snakecase "FirstName"}} {{snakecase "HTTPServer"}} {{snakecase "NoHTTPS"}} {{snakecase "GO_PATH"}} {{snakecase "GO PATH"}} {{snakecase "GO-PATH"}}
{{kebabcase "FirstName"}} {{kebabcase "first_name"}} {{kebabcase "http server"}}
{{camelcase "http_server"}} {{camelcase "first-name"}} {{camelcase "some words"}} {{camelcase "http_2xx"}}
{{wrap 10 "the quick brown fox jumps"}} {{wrapWith 5 "|" "Hello World foo"}} {{wrap 3 "abcdefgh"}}
{{sha1sum "a"}} {{sha256sum "a"}} {{adler32sum "abc"}} {{sha512sum ""}}
{{toString 1}}{{toString .f}}{{toString true}} {{toStrings .mixed}} {{toStrings "a"}} {{toStrings .nil}}
{{atoi "12"}} {{atoi "x"}} {{atoi "-5"}} {{int "42"}} {{int "4.0"}} {{int "0x1f"}} {{int "x"}} {{int 3.9}} {{int true}} {{int .nil}}
{{int64 "7"}} {{float64 "1.5"}} {{float64 "x"}} {{float64 3}} {{toDecimal "777"}} {{toDecimal 777}}
{{typeOf (int 1)}} {{typeOf (int64 1)}} {{typeOf 1.5}} {{typeOf "s"}} {{typeOf .map}} {{typeOf .list}} {{typeOf nil}} {{typeOf (splitList "," "a,b")}} {{typeOf (split "," "a")}} {{typeOf .n}} {{typeOf (list 1)}} {{typeOf true}} {{typeOf (until 2)}}
{{kindOf 1}} {{kindOf .n}} {{kindOf .map}} {{kindOf .list}} {{kindOf nil}} {{kindOf true}} {{kindIs "string" "a"}} {{typeIs "string" 1}} {{typeIsLike "string" "a"}}
{{split "/" "a/b/c"}} {{(split "/" "a/b/c")._1}} {{splitList "/" "a/b/c"}} {{splitn "/" 2 "a/b/c"}} {{splitList "" "abc"}} {{splitList "," ""}}
{{until 3}} {{until -3}} {{untilStep 0 10 3}} {{untilStep 10 0 -3}} {{untilStep 0 5 0}} {{seq 5}} {{seq -3}} {{seq 2 5}} {{seq 5 2}} {{seq 0 2 10}} {{seq 0 -2 -5}} {{seq}} {{seq 1 1}}
{{add 1 2 3}} {{add1 5}} {{sub 5 3}} {{div 7 2}} {{div -7 2}} {{mod 7 3}} {{mod -7 3}} {{mul 2 3 4}} {{add "3" 4.7}} {{add .nil 1}}
{{div 1 0}}
{{mod 1 0}}
{{addf 1.5 2}} {{add1f 1.1}} {{subf 7.5 2 3}} {{divf 10 4}} {{divf 10 3}} {{mulf 1.1 1.1}} {{addf 0.1 0.2}} {{mulf 1.5 2 3}}
{{max 1 5 3}} {{min 4 2 8}} {{biggest 1 9}} {{maxf 1.5 2.5}} {{minf 1.5 0.5}} {{ceil 1.2}} {{floor 1.9}} {{round 3.14159 2}} {{round 2.5 0}} {{round 123.555555 3 0.2}} {{floor -1.5}} {{round -2.5 0}}
{{join "-" .list}} {{join "," .mixed}} {{join "-" "a"}} {{join "," .nums}} {{sortAlpha (list "c" "a" "b")}} {{sortAlpha "x"}} {{sortAlpha .nums}}
{{default "d" .empty}} {{default "d" .name}} {{.missing | default "d"}} {{default 1 0}} {{default "d" .none}} {{default "x"}}
{{empty .empty}} {{empty .name}} {{empty .nil}} {{empty .blank}} {{coalesce .empty .nil .name}} {{coalesce .empty}} {{all 1 "a" true}} {{all 1 0}} {{any 0 ""}} {{any 0 1}}
{{compact (list 1 0 "" "a" nil)}} {{ternary "a" "b" true}} {{ternary "a" "b" .no}} {{.yes | ternary "a" "b"}}
{{toJson .map}} {{toJson .html}} {{toRawJson .html}} {{toJson .mixed}} {{toJson .nil}} {{toJson .f}} {{toJson .huge}} {{toJson .tiny}} {{toJson "é\u2028\t\x01"}} {{toJson 1e-7}} {{toJson 1e20}} {{toJson .large}}
{{toPrettyJson .map}} {{toPrettyJson .none}} {{toPrettyJson .blank}} {{toPrettyJson (list 1 (dict))}}
{{fromJson .json}} {{(fromJson .json).a}} {{fromJson "x"}} {{(fromJson .json).b}} {{typeOf (index (fromJson .json).a 0)}}
{{deepEqual .list .list}} {{deepEqual (list 1 2) (list 1 2)}} {{deepEqual 1 1.0}} {{deepEqual .map (deepCopy .map)}}
{{base "a/b/c.txt"}} {{dir "a/b/c.txt"}} {{clean "a//b/../c"}} {{ext "a/b.c.txt"}} {{isAbs "/a"}} {{isAbs "a"}} {{base ""}} {{base "/"}} {{dir ""}} {{dir "/a"}} {{clean ""}} {{clean "/../a"}} {{clean "//a"}} {{ext "a"}}
{{osBase "a/b"}} {{osDir "a/b"}} {{osClean "a/./b"}} {{osExt "a.b"}} {{osIsAbs "/"}}
{{b64enc "hello é"}} {{b64dec "aGVsbG8="}} {{b64dec "!!!"}} {{b32enc "hi"}} {{b32dec "NBUQ===="}} {{b64dec "aGVsbG8"}}
{{list 1 "a" nil}} {{tuple 1 2}} {{dict "a" 1 "b" 2}} {{dict "a"}} {{dict}} {{get (dict "a" 1) "a"}} {{get (dict) "a"}} {{set (dict "a" 1) "b" 2}} {{unset (dict "a" 1 "b" 2) "a"}} {{hasKey (dict "a" 1) "a"}} {{hasKey .map "z"}}
{{pluck "a" (dict "a" 1) (dict "a" 2) (dict "b" 3)}} {{keys .map | sortAlpha}} {{pick .map "a" "b"}} {{omit .map "c"}} {{values (dict "a" 1)}}
{{merge (dict "a" 1 "b" (dict "x" 1)) (dict "a" 2 "b" (dict "y" 2) "c" 3)}} {{mergeOverwrite (dict "a" 1 "b" (dict "x" 1)) (dict "a" 2 "b" (dict "y" 2))}} {{merge (dict "a" "") (dict "a" "x")}} {{mergeOverwrite (dict "a" 1) (dict "a" "")}}
{{append .list "w"}} {{push .list 1}} {{prepend .list "w"}} {{first .list}} {{rest .list}} {{last .list}} {{initial .list}} {{reverse .list}} {{uniq (list 1 2 1 "1")}} {{without .list "y"}} {{has "x" .list}} {{has 4 .list}} {{has 1 .nil}} {{slice .list 1 2}} {{slice .list}} {{concat .list (list 1)}} {{chunk 2 .list}} {{first (list)}} {{last (list)}} {{rest (list)}}
{{first "x"}}
{{append 1 2}}
{{concat .list 1}}
{{slice .list 1 10}}
{{has 1 "x"}}
{{without "x" 1}}
{{first nil}}
{{dig "c" "d" "e" "none" .map}} {{dig "c" "x" "none" .map}} {{dig "z" "none" .map}}
{{dig "a" "b" "none" .map}}
{{dig "a" .map}}
{{fail "no way"}}
{{regexMatch "^w.b$" .name}} {{regexFind "[a-z]+" "12ab34cd"}} {{regexFindAll "[0-9]" "a1b2c3" -1}} {{regexFindAll "[0-9]" "a1b2c3" 2}} {{regexReplaceAll "[0-9]+" "a12b3" "<$0>"}} {{regexReplaceAll "a(x*)b" "-ab-axxb-" "T"}} {{regexReplaceAllLiteral "[0-9]" "a1b2" "$0"}} {{regexSplit "z+" "pizza" -1}} {{regexSplit "z+" "pizza" 1}} {{regexSplit "," "a,b,c" 2}} {{regexSplit "," "a," -1}} {{regexSplit "," "" -1}} {{regexQuoteMeta "1.2[3]"}} {{regexFind "x" "abc"}} {{regexReplaceAll "" "ab" "-"}} {{regexFindAll "a*" "baac" -1}}
{{regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W"}} {{regexReplaceAll "(?P<first>\\w+) (?P<second>\\w+)" "hello world" "$second ${first}"}} {{regexReplaceAll "(a)|(b)" "ab" "[$1|$2]"}} {{regexReplaceAll "(\\d+)-(\\d+)" "10-20 30-40" "$2-$1"}} {{regexReplaceAll "(a+)(a*)" "aaa" "<$1,$2,$3>"}} {{regexReplaceAll "x(y)?" "x xy" "[$1]"}} {{regexReplaceAll "a(b)" "ab" "$1x"}}
{{regexMatch "(" "a"}}
{{mustRegexMatch "(" "a"}}
{{regexFind "(" "a"}}
{{regexReplaceAll "[" "a" "b"}}
{{urlParse "https://user:pw@example.org:8080/a%20b?q=1#frag"}} {{urlJoin (urlParse "https://user:pw@example.org:8080/a?q=1#frag")}} {{urlJoin (dict "scheme" "http" "host" "h" "path" "p")}} {{(urlParse "mailto:a@b").opaque}}
{{date "2006-01-02" 86400}} {{dateInZone "2006-01-02 15:04 MST" 0 "Europe/Berlin"}} {{htmlDate 0}} {{htmlDateInZone 0 "America/New_York"}} {{dateInZone "15:04" 0 "Nowhere/At_All"}}
{{toDate "2006-01-02" "2026-03-04"}} {{toDate "2006-01-02" "x"}} {{toDate "2006-01-02 15:04:05" "2026-03-04 05:06:07" | unixEpoch}} {{toDate "2006-01-02" "2026-03-04" | dateModify "24h" | date "Mon Jan 2"}} {{toDate "2006-01-02" "2026-03-04" | dateModify "nope"}}
{{mustToDate "2006-01-02" "x"}}
{{mustToDate "2006-01-02" "2026-13-01"}}
{{mustToDate "2006-01-02" "2026-02-30"}}
{{mustToDate "2006-01-02" "2026-02-03x"}}
{{mustToDate "Jan 2, 2006 at 3:04pm (MST)" "Feb 3, 2013 at 7:54pm (PST)"}} {{mustToDate "2006-01-02T15:04:05Z07:00" "2026-01-02T03:04:05.123+01:00"}} {{mustToDate "Monday, 02-Jan-06 15:04:05 MST" "Monday, 02-Jan-06 15:04:05 UTC"}} {{mustToDate "3:04PM" "11:15AM"}}
{{duration 95}} {{duration "3661"}} {{duration (int64 90)}} {{durationRound "2h10m5s"}} {{durationRound "400h"}} {{durationRound "x"}} {{durationRound "9000h"}} {{durationRound (int64 5000000000)}} {{duration .n}}
{{mustDateModify "x" (toDate "2006-01-02" "2026-03-04")}}
{{dateModify "1h" "x"}}
{{(toDate "2006-01-02" "2026-03-04").Format "Monday January 02 2006 002 __2 _2 06 1 3 03 04 4 05 5 .000 .999 pm"}}
{{hello}} {{env "HOME"}}
{{getHostByName "x"}}
{{randAlphaNum 0}}|{{shuffle ""}}|{{len (randAlphaNum 5)}} {{len (uuidv4)}} {{len (randAscii 3)}} {{len (randNumeric 4)}} {{len (randBytes 3)}} {{kindOf (randInt 1 5)}}
{{repeat -1 "a"}}
{{range $i, $e := until 3}}{{$i}}{{$e}}{{end}} {{range splitList "," "a,b"}}{{.x}}{{end}}
{{range split "," "a,b"}}{{.}}{{end}} {{(split "," "a")._5}}|
{{$d := dict "a" 1}}{{$_ := set $d "b" 2}}{{$d}}
{{$l := list}}{{range .items}}{{$l = append $l .name}}{{end}}{{join "," $l}}
{{ .items | toJson | b64enc | b64dec | fromJson | len }}
{{ tpl "x" . }}
{{float64 "inf"}} {{float64 "-Inf"}} {{float64 "nan"}} {{printf "%+v %8v|%-8v|" (float64 "inf") (float64 "inf") (float64 "nan")}}
{{wrapWith 3 "" "a  bcdef"}}|{{wrap 5 "aaaaaaaaaa b"}}|{{abbrevboth 5 8 "1234 5678 9123"}}|{{abbrevboth 9 7 "0123456789abc"}}
{{splitn "" 2 "abc"}} {{splitn "," 0 "a"}} {{regexSplit "" "ab" -1}} {{regexSplit "b" "ab" 0}} {{regexFindAll "a" "aa" 0}} {{regexSplit "b*" "abbc" -1}}
{{b64dec "a"}}|{{b32dec "1"}}|{{b64dec "aGk"}}|{{b64dec "a=b="}}|{{toJson 0.00002}} {{toJson 0.000012345}} {{toJson 1e-6}}
{{urlJoin (dict "scheme" "mailto" "opaque" "a@b")}} {{(urlParse "http://[::1]:80/").hostname}} {{int64 1e300}} {{mul 4611686018427387904 4}}
{{html nil}} {{js "a\n<"}} {{printf "%.*f|%-*d|" 1 2.55 4 7}} {{printf "%#U %c" 9731 1114112}} {{printf "%*d" "x" 1}}
{{printf "%6.2f|%+.1f|%G|%e" 123456.0 123456.0 1e-7 0.0}} {{printf "%x %X %#o %O %08b" -255 "é" 8 8 5}} {{printf "%t %t" "x" 1}} {{printf "%5t|%-6v|%q" true nil (list "a" 1)}}
{{printf "%s %d" (list "a" (dict "k" 1)) (dict "k" "v")}} {{printf "%v|%6v|%-6v|%06d|%+06d" "a" "b" "c" -42 42}} {{printf "%.3v %.0d|%.2d" "abcdef" 0 5}}
{{printf "%3c|%-4q|%#q|%+q" 65 65 "a`b" "日"}} {{printf "% d|% x|%#x|%#v" 5 "hi" "hi" 1.0}} {{printf "%!"}} {{printf "%z %" "a"}}
{{0x1p4}} {{1e400}}
{{0x1p4}} {{0b11}} {{07}} {{1_0.5}} {{.5}} {{5.}} {{'\n'}} {{'\x41'}} {{'é'}}
{{semver "v1.2.3-beta.1+build.5"}} {{with semver "v1.2"}}{{.Major}} {{.Minor}} {{.Patch}} [{{.Prerelease}}] [{{.Metadata}}] {{.Original}} {{.String}} {{.IncMajor}} {{.IncMinor}} {{.IncPatch}}{{end}}
{{(semver "1.2.3-rc.1+m").IncPatch}} {{(semver "1.2.3-rc.1+m").Metadata}} {{(semver "1.2.3").Compare (semver "1.3")}} {{(semver "1.2.3").Equal (semver "v1.2.3+x")}} {{(semver "2").GreaterThan (semver "1.9.9")}} {{(semver "2").LessThan (semver "1.9.9")}} {{(semver "2").LessThanEqual (semver "2.0")}} {{(semver "2").GreaterThanEqual (semver "2.0.1")}}
{{semver "one"}}
{{semver ""}}
{{semver "1.2.3.4"}}
{{semverCompare "^1.2" "1.9.0"}} {{semverCompare "~1.2.3" "1.3.0"}} {{semverCompare ">=1.2 <2 || 3.x" "3.7.1"}} {{semverCompare "1.2 - 1.4" "1.4.9"}} {{semverCompare ">=1.27-0" "v1.28.3-eks-1"}} {{semverCompare ">=1.27" "v1.28.3-eks-1"}} {{semverCompare "!=1.2.x" "1.2.9"}} {{semverCompare "*" "0.0.1"}} {{semverCompare ">1.2" "1.2.9"}} {{semverCompare "=1.2.3" "1.2.3+b"}}
{{semverCompare "nope" "1.2.3"}}
{{semverCompare "^1" "nope"}}
{{if semver "1.2.3"}}yes{{end}} {{kindOf (semver "1.2.3")}} {{typeOf (semver "1.2.3")}} {{printf "%s|%v" (semver "v1.2") (semver "v1.2")}} {{toJson (semver "v1.2.3+a")}} {{(semver "1.2.3").Nothing}}
{{derivePassword 1 "long" "password" "user" "example.com"}} {{derivePassword 2 "maximum" "password" "user" "example.com"}} {{derivePassword 1 "medium" "p" "ü" "s"}} {{derivePassword 1 "short" "" "" ""}} {{derivePassword 1 "basic" "password" "user" "example.com"}} {{derivePassword 4294967295 "pin" "password" "user" "example.com"}} {{derivePassword 1 "nope" "password" "user" "example.com"}}
{{derivePassword 1.5 "long" "a" "b" "c"}}
{{derivePassword -1 "long" "a" "b" "c"}}
{{derivePassword (int 1) "long" "a" "b" "c"}}
{{htpasswd "a:b" "c"}} {{len (bcrypt "secret")}} {{substr 0 7 (bcrypt "secret")}} {{len (htpasswd "user" "secret")}} {{bcrypt (repeat 73 "x")}}
{{encryptAES "key" ""}}|{{encryptAES "key" "a text" | decryptAES "key"}}|{{decryptAES "key" ""}}
{{genPrivateKey "nope"}} {{genPrivateKey "ed25519" | substr 0 27}} {{genPrivateKey "ecdsa" | substr 0 30}}
{{$ca := genCA "ca" 1}}{{$c := genSignedCert "a" (list "10.0.0.1") (list "a.example") 1 $ca}}{{substr 0 27 $c.Cert}} {{substr 0 31 $c.Key}} {{with buildCustomCert ($c.Cert | b64enc) ($c.Key | b64enc)}}{{eq .Cert $c.Cert}}{{end}}
"""

MISSING = r"""
{{.missing}}|{{.map.x}}|{{.map.c.x.y}}
{{.missing.deeper}}
{{.nil}}
{{.nil.x}}
{{index .map "nope"}}
{{with .missing}}x{{else}}y{{end}}
{{(split "," "a")._5}}|
{{.map.a}}
"""


def questions():
    asked = [{"text": text, "missing": ""} for text in _lines(LANGUAGE) + _lines(SPRIG)]
    asked += [{"text": text, "missing": option} for option in ("zero", "error") for text in _lines(MISSING)]
    return asked


def _lines(texts):
    return [line.replace("⏎", "\n") for line in texts.strip("\n").split("\n")]
