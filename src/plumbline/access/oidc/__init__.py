"""Single sign-on by OpenID Connect: the authorisation code flow with PKCE, and tokens that a provider has signed.

Nothing is kept between the two halves of a login but a cookie that only we can read, so that every replica can finish what
another has begun; and nothing can be finished twice.
"""
