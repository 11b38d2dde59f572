const SEVERAL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)((?:[/?#].*)?)$/

/**
 * The addresses that one DATABASE_URL names: `postgresql://user@first:5432,second:5432/database`
 * stands for two servers of one cluster, and the one that takes writes is used. As libpq reads it.
 */
export function databaseAddresses(url: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = SEVERAL.exec(url) ?? []
  return hosts === '' ? [url] : hosts.split(',').map((host) => before + host + after)
}
