"""Certificates and keys of nobody, for Secrets that hold a pair of them."""

CERTIFICATE = (
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBBTCBq6ADAgECAgEBMAoGCCqGSM49BAMCMAwxCjAIBgNVBAMMAW4wHhcNMjYw\n"
    "MTAxMDAwMDAwWhcNMjYwMTEwMDAwMDAwWjAMMQowCAYDVQQDDAFuMFkwEwYHKoZI\n"
    "zj0CAQYIKoZIzj0DAQcDQgAE3VqkBbrQsCWuXidFl0sQwHatY4FZp8PZCXz2C8Jv\n"
    "bVMBhHk7XumwSf9XSxPufYeh6kyBVJvwR2KQAmgxmvga+DAKBggqhkjOPQQDAgNJ\n"
    "ADBGAiEA0PnI68jSVtqugt92feynBrna4wWEo4QrtMYv+CRi6PQCIQCM0j61De4w\n"
    "v/a+R5c3clLR/Px8I8L1vS/hsAba5ndCLA==\n"
    "-----END CERTIFICATE-----\n"
)
KEY = (
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg39JD3cdu5GyNKqjV\n"
    "bHzBivCsuArhdPaUJxeropZMU5KhRANCAATdWqQFutCwJa5eJ0WXSxDAdq1jgVmn\n"
    "w9kJfPYLwm9tUwGEeTte6bBJ/1dLE+59h6HqTIFUm/BHYpACaDGa+Br4\n"
    "-----END PRIVATE KEY-----\n"
)
OLD_KEY = (
    "-----BEGIN EC PRIVATE KEY-----\n"
    "MHcCAQEEIN/SQ93HbuRsjSqo1Wx8wYrwrLgK4XT2lCcXq6KWTFOSoAoGCCqGSM49\n"
    "AwEHoUQDQgAE3VqkBbrQsCWuXidFl0sQwHatY4FZp8PZCXz2C8JvbVMBhHk7Xumw\n"
    "Sf9XSxPufYeh6kyBVJvwR2KQAmgxmvga+A==\n"
    "-----END EC PRIVATE KEY-----\n"
)
OTHER_KEY = (
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBnvRootzy6BEzOLS\n"
    "dj54P38equehzzLMrBm4+f40vv+hRANCAAQukQDndYGvXkWS6NOGWULDm2t/qz5O\n"
    "kFc3Zt0qN/6g2oa2N6U9jsVL01xnLb/7YSMTOXqS7spwLGR204eIXbOW\n"
    "-----END PRIVATE KEY-----\n"
)
EDWARDS_KEY = (
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIMHbJeWMLqIxxf8k7qF4tbe2dosZdJuqgnRV2yC97vbA\n"
    "-----END PRIVATE KEY-----\n"
)
