export function TerminalPage() {
  return null
}
