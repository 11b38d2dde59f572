let zone = 'UTC'

/** The zone of the merchant, in which all pages count days and show times: an IANA name. */
export function shownZone(): string {
  return zone
}

/** Called with the session, before any page is shown. Another zone needs a reload. */
export function showTimesIn(timeZone: string): void {
  zone = timeZone
}
