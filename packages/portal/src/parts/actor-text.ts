/**
 * Who did something: a person of the portal by their address, everybody else as the audit log has
 * them.
 */
export function actorText(actor: string): string {
  return actor.replace(/^person:/, '')
}
