/** The paths of the simulated issuer's pages, at the bank and at the gateway alike. */
export const SIMULATED_ISSUER_PATHS = ['/acs/method', '/acs/creq', '/acs/creq/challenge'] as const

export type SimulatedIssuerPath = (typeof SIMULATED_ISSUER_PATHS)[number]

/** A page of the simulated issuer, as the bank wrote it. */
export interface IssuerPage {
  readonly status: number
  readonly contentType: string
  /** The Content-Security-Policy of the page. */
  readonly policy: string
  readonly body: Buffer
}

/**
 * The issuer of the sandbox's test cards. Its certificate is made on this machine, so browsers
 * would reject its pages. The gateway fetches them, and serves them under its own origin.
 */
export interface SimulatedIssuer {
  /**
   * Forwards the form of a browser.
   * @param form the urlencoded body, unchanged
   * @returns null when the bank does not run, or does not answer in time.
   */
  post(path: SimulatedIssuerPath, form: Buffer): Promise<IssuerPage | null>
}

/**
 * The path of a page that the gateway serves for the simulated issuer. Null for any other page,
 * which browsers open at its own server.
 */
export function simulatedPath(url: string): SimulatedIssuerPath | null {
  if (!URL.canParse(url)) return null
  const { pathname } = new URL(url)
  return SIMULATED_ISSUER_PATHS.find((path) => path === pathname) ?? null
}
