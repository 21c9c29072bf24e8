"""PushSecrets: values of Secrets of the cluster, put into stores elsewhere.

pieces      pure: which values go where, and who else says so
looking     what one look gathers
sourcing    steps: is it time, and what is to be pushed
delivering  the step that writes: compared, announced, then through the gate
"""
