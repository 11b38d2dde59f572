import type { CollectedBrowser } from './collected-browser.ts'
import type { SentBrowser } from './three-ds-request.ts'
import type { Browser } from './three-ds-server.ts'

/** The merchant's values win, and what it did not send is filled up with what the page found. */
export function describeBrowser(sent: SentBrowser, collected: CollectedBrowser | null): Browser {
  return {
    acceptHeader: sent.acceptHeader,
    userAgent: sent.userAgent,
    language: sent.language,
    ip: sent.ip,
    // The page's script ran, or it is unknown.
    javascriptEnabled: sent.javascriptEnabled ?? (collected !== null || sent.timeZone !== null),
    javaEnabled: sent.javaEnabled ?? collected?.javaEnabled ?? null,
    colorDepth: sent.colorDepth ?? collected?.colorDepth ?? null,
    screenHeight: sent.screenHeight ?? collected?.screenHeight ?? null,
    screenWidth: sent.screenWidth ?? collected?.screenWidth ?? null,
    timeZone: signedTimeZone(sent.timeZone, collected?.timeZone ?? null),
  }
}

/** Merchants send the offset without its sign, which the page knows. */
function signedTimeZone(sent: number | null, collected: number | null): number | null {
  if (sent === null || collected === null) return sent ?? collected
  return Math.abs(sent) === Math.abs(collected) ? collected : sent
}
