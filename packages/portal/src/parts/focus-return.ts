/** The elements that a dialog was opened from, the nearest first. */
export type Openers = readonly HTMLElement[]

let latest: Openers = []

/**
 * The element that has the focus now, and the next ones if it is gone when the dialog closes.
 * The button of a menu stands for its entries. Behind an element of a dialog come that dialog, for
 * a button that rests or is gone, and its openers.
 */
export function openersOfDialog(): Openers {
  const { activeElement } = document
  // A dialog that another one takes the place of: its button rests, and has lost the focus.
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body)
    return document.querySelector('[role=dialog]') === null ? [] : latest
  const dialog = activeElement.closest<HTMLElement>('[role=dialog]')
  const before = dialog === null ? [] : [dialog, ...latest]
  latest = [menuButton(activeElement) ?? activeElement, ...before]
  return latest
}

/** The button of an entry's menu. The entry itself may be on the page until the menu has closed. */
function menuButton(element: HTMLElement): HTMLElement | null {
  const name = element.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? ''
  return document.getElementById(name)
}

/**
 * Gives the focus back to the nearest opener that is still there, or to the page's content. A focus
 * that went on meanwhile, such as into the next dialog, stays there.
 */
export function returnFocus(openers: Openers): void {
  const atClose = document.activeElement
  // The closing dialog holds the focus until its effects have run.
  setTimeout(() => {
    const now = document.activeElement
    if (now !== null && now !== document.body && now !== atClose) return
    for (const opener of [...openers, document.getElementById('main')]) {
      if (opener === null || !opener.checkVisibility()) continue
      opener.focus({ preventScroll: true })
      if (document.activeElement === opener) return
    }
  })
}
