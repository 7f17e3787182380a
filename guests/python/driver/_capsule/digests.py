"""What `hashlib` takes from OpenSSL elsewhere."""

import hmac


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    """Password based key derivation function 2 (PKCS #5 v2.0) with HMAC as pseudorandom function."""
    if iterations < 1:
        raise ValueError("iteration value must be greater than 0.")
    inner = hmac.new(bytes(password), digestmod=hash_name)
    wanted = inner.digest_size if dklen is None else dklen
    if wanted < 1:
        raise ValueError("key length must be greater than 0.")
    key, block = b"", 0
    while len(key) < wanted:
        block += 1
        step = inner.copy()
        step.update(bytes(salt) + block.to_bytes(4, "big"))
        last = step.digest()
        total = int.from_bytes(last, "big")
        for _ in range(iterations - 1):
            step = inner.copy()
            step.update(last)
            last = step.digest()
            total ^= int.from_bytes(last, "big")
        key += total.to_bytes(inner.digest_size, "big")
    return key[:wanted]
