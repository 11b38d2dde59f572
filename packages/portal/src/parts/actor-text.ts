/**
 * The actor: a portal user by e-mail address, every other one as in the audit log. Entries of early
 * versions begin with `person:`.
 */
export function actorText(actor: string): string {
  return actor.replace(/^(portal|person):/, '')
}
