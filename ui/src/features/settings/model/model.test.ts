import { expect, test } from "vitest";
import { ApiError } from "@/api/errors";
import { addressStep, bodyOf, type Connecting, connect, type Step, type Wanted } from "./connection";
import { accountsYaml, clusterYaml, nameFrom, projectYaml, repositoryYaml } from "./documents";
import { destinationText, endText, kindRules } from "./project";
import { questionOf } from "./search";
import { commandFor, fits, simulate } from "./simulate";

const WANTED: Wanted = {
  url: "https://git.example.org/shop.git",
  type: "git",
  name: "",
  project: "",
  username: "ada",
  password: "secret",
  bearerToken: "",
  sshPrivateKey: "",
  insecure: false,
  enableLfs: true,
  enableOCI: false,
};

const WELL: Connecting = {
  may: async () => ({ value: "yes", why: "allowed by role:admin" }),
  validate: async () => ({}),
  save: async () => ({}),
  look: async () => ({ status: "Successful" }),
};

async function tried(changed: Partial<Connecting>, wanted = WANTED) {
  const told: Step[][] = [];
  const fine = await connect({ ...WELL, ...changed }, wanted, (steps) => told.push(steps));
  return { fine, states: told.at(-1)?.map((step) => step.state), said: told.at(-1)?.map((step) => step.said) };
}

test("every step of a connection is taken, and each is told of while it is taken", async () => {
  const seen: string[] = [];
  expect(await connect(WELL, WANTED, (steps) => seen.push(steps.map((step) => step.state[0]).join("")))).toBe(true);
  expect(seen[0]).toBe("rwwww");
  expect(seen.at(-1)).toBe("ddddd");
});

test.each([
  ["an address that is none", {}, { ...WANTED, url: "shop" }, ["failed", "waiting", "waiting", "waiting", "waiting"]],
  [
    "a policy that denies",
    { may: async () => ({ value: "no" }) },
    WANTED,
    ["done", "failed", "waiting", "waiting", "waiting"],
  ],
  [
    "credentials that do not fit",
    { validate: () => Promise.reject(new ApiError(400, "authentication failed")) },
    WANTED,
    ["done", "done", "failed", "waiting", "waiting"],
  ],
  [
    "a state that nobody knows",
    { look: async () => ({ status: "Unknown" }) },
    WANTED,
    ["done", "done", "done", "done", "unknown"],
  ],
])("a connection ends at %s, and nothing after it is done", async (_, changed, wanted, expected) => {
  expect((await tried(changed, wanted)).states).toEqual(expected);
});

test("a refusal is told with its way out", async () => {
  const refused = () => Promise.reject(new ApiError(400, "authentication failed", { hint: "Check the token." }));
  expect((await tried({ validate: refused })).said?.[2]).toBe("authentication failed. Check the token.");
});

test.each([
  ["git@git.example.org:shop.git", "done", "SSH without a scheme"],
  ["ssh://git@git.example.org/shop", "done", "a name is no secret for SSH"],
  ["https://ada:secret@git.example.org/shop", "failed", "a password in an address is shown to everybody"],
  ["no address", "failed", "it is none"],
])("%s is %s, for %s", (url, expected) => {
  expect(addressStep(url)[0]).toBe(expected);
});

test("only what was said is sent", () => {
  expect(bodyOf(WANTED)).toEqual({
    repo: WANTED.url,
    type: "git",
    username: "ada",
    password: "secret",
    enableLfs: true,
  });
});

test("YAML of a repository has nothing that opens it, and says so", () => {
  const yaml = repositoryYaml({ repo: WANTED.url, type: "git", project: "shop", connectionState: {} }, "argocd");
  expect(yaml).toContain("never shown");
  expect(yaml).toContain("argocd.argoproj.io/secret-type: repository");
  expect(yaml).toContain('url: "https://git.example.org/shop.git"');
  expect(yaml).not.toContain("connectionState");
  expect(repositoryYaml({ repo: WANTED.url, inheritedCreds: true }, "argocd")).not.toContain("never shown");
});

test("YAML of clusters, projects and accounts is what Git would have", () => {
  expect(clusterYaml({ name: "eu", server: "https://eu", namespaces: ["a", "b"] }, "argocd")).toContain(
    'namespaces: "a,b"',
  );
  const project = projectYaml({
    metadata: { name: "p" },
    spec: { roles: [{ name: "r", jwtTokens: [{ id: "x", iat: 1 }] }] },
  });
  expect(project).toContain("kind: AppProject");
  expect(project).not.toContain("jwtTokens");
  const accounts = accountsYaml(
    [
      { name: "admin", enabled: true },
      { name: "ci", enabled: false, capabilities: ["apiKey", "login"] },
    ],
    "argocd",
  );
  expect(accounts).toContain('accounts.ci: "apiKey, login"');
  expect(accounts).toContain('accounts.ci.enabled: "false"');
  expect(accounts).not.toContain("admin");
});

test("names are made of addresses", () => {
  expect([nameFrom("https://Git.example.org/Shop.git"), nameFrom("://")]).toEqual([
    "git-example-org-shop-git",
    "unnamed",
  ]);
});

const PROJECTS = [
  {
    metadata: { name: "shop" },
    spec: {
      roles: [
        {
          name: "deployer",
          groups: ["team"],
          policies: [
            "p, proj:shop:deployer, applications, *, shop/*, allow",
            "p, proj:shop:deployer, applications, delete, shop/prod-?, deny",
            "not a line",
          ],
        },
      ],
    },
  },
];

test.each([
  ["proj:shop:deployer", "sync", "shop/web", true, "a star stands for anything"],
  ["team", "sync", "shop/web", true, "a group has the role"],
  ["team", "delete", "shop/prod-1", false, "a line that denies counts more"],
  ["team", "sync", "other/web", false, "no line fits"],
  ["nobody", "sync", "shop/web", false, "nobody has a role"],
])("%s may %s %s: %s, for %s", (who, action, object, allowed) => {
  const answer = simulate({ who, resource: "applications", action, object }, PROJECTS);
  expect(answer.allowed).toBe(allowed);
  expect(answer.why).not.toBe("");
});

test.each([
  ["shop/*", "shop/a/b", true],
  ["a{b,c}", "ac", true],
  ["a.c", "abc", false],
  ["[", "[", true],
])("the pattern %s fits %s: %s", (pattern, value, expected) => {
  expect(fits(pattern, value)).toBe(expected);
});

test("the same question is a command", () => {
  const asked = { resource: "applications", action: "sync", object: "shop/*" };
  expect(commandFor({ who: "", ...asked })).toBe("plumb account can-i sync applications 'shop/*'");
  expect(commandFor({ who: "proj:shop:r", ...asked })).toContain("--as proj:shop:r");
  expect(commandFor({ who: "team", ...asked })).toContain("--group 'team'");
  expect(questionOf({ who: "", object: 7, other: 1 })).toEqual({ object: "7" });
});

test("what a project allows is said in words", () => {
  expect(destinationText({ server: "*", namespace: "shop-*" })).toBe("every cluster, namespace shop-*");
  expect(destinationText({ server: "https://eu", namespace: "!kube-system" })).toBe(
    "Not: https://eu, namespace kube-system",
  );
  expect(kindRules({})).toEqual(["In namespaces: every kind", "Outside of them: nothing"]);
  expect(
    kindRules({
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
      namespaceResourceBlacklist: [{ group: "", kind: "Secret" }],
    }),
  ).toEqual(["In namespaces: every kind, but not Secret (core)", "Outside of them: every kind"]);
  expect([endText({}, 0), endText({ exp: 86_400 }, 0), endText({ exp: 86_400 }, 1e12)]).toEqual([
    "never ends",
    "until 1970-01-02",
    "ended 1970-01-02",
  ]);
});
