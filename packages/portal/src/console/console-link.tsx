import { Anchor, type AnchorProps } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { PLACE } from '../shell/place.ts'

/** The address of a page of the console, from one behind its root. */
export function consoleHref(to: string): string {
  return `${PLACE.root}${to}`
}

/** Goes to a page of the console without loading it again. */
export function useGo(): (to: string) => void {
  const { history } = useRouter()
  return (to) => history.push(consoleHref(to))
}

/** The handler of a link; a click that opens a tab or a window is the browser's. */
export function useFollow(): (to: string) => (event: MouseEvent) => void {
  const go = useGo()
  return (to) => (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (!isPlain) return
    event.preventDefault()
    // A row around the link would go there once more.
    event.stopPropagation()
    go(to)
  }
}

/** A link to a page of the console. */
export function ConsoleLink({
  to,
  children,
  ...shown
}: AnchorProps & { readonly to: string; readonly children: ReactNode }) {
  const follow = useFollow()
  return (
    <Anchor {...shown} href={consoleHref(to)} onClick={follow(to)}>
      {children}
    </Anchor>
  )
}
