const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|::1)$/

/** Whether only this machine reaches a host. */
export function isThisMachine(host: string): boolean {
  return LOOPBACK.test(host)
}

/**
 * Plain HTTP carries card numbers in the open, so it is served to this machine only, or to a proxy
 * that the operator vouches for. Throws otherwise.
 */
export function assertPrivate(host: string, trustedProxies: readonly string[]): void {
  if (isThisMachine(host) || trustedProxies.length > 0) return
  throw new Error(
    `Plain HTTP was asked for on ${host}, where others can read card numbers on their way. ` +
      'Expected a loopback address such as 127.0.0.1, or a trusted proxy in front. Set HOST to a ' +
      'loopback address, name the proxy in TRUST_PROXY, or serve HTTPS only.',
  )
}
