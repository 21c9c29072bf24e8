"""The small process that all others are forked from. Its modules import nothing of ours but each other.

Between fork and exec a child must set limits, enter namespaces and confine itself. Python cannot do that safely in a
large process with threads (`preexec_fn` runs with locks that nobody will release, and forking 1 GB of page tables takes
10 ms), and an interpreter as launcher costs 13 ms a time. This process has one thread and 11 MB, so its forks are safe
and take 0.5 ms each. It may also import a module first (`preload`), whose `main` its forks then run instead of a tool.

    main program ──socket──> zygote ──fork──> keeper [──fork──> keeper inside a pid namespace] ──fork──> tool

Each request carries its own control socket. The keeper reads the order from it, starts the tool, reports how it ended,
and takes the end of that socket, however it comes about, as the word to end the tool. So nothing outlives the main
program, even one that was killed, and a zygote that dies leaves the running tools and their keepers as they are.
"""
