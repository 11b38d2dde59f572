/** The actor: a portal user by e-mail address, every other actor as in the audit log. */
export function actorText(actor: string): string {
  return actor.replace(/^person:/, '')
}
