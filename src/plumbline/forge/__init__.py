"""GitHub, GitLab, Gitea and the embedded forge behind one small protocol."""
