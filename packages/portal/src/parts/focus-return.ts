/** The elements that a dialog was opened from, the nearest first. */
export type Openers = readonly HTMLElement[]

let latest: Openers = []

/**
 * The element that had the focus last, and its opener. A menu may be gone before the dialog of its
 * entry opens, so its button is looked up while it is there.
 */
let recent: { readonly element: HTMLElement; readonly opener: HTMLElement } | null = null
document.addEventListener('focusin', ({ target }) => {
  if (!(target instanceof HTMLElement) || target.id === 'main') return
  recent = { element: target, opener: menuButton(target) ?? target }
})

/**
 * The element that has the focus now, and the next ones if it is gone when the dialog closes.
 * The button of a menu stands for its entries. Behind an element of a dialog come that dialog, for
 * a button that rests or is gone, and its openers.
 */
export function openersOfDialog(): Openers {
  const { activeElement } = document
  // Another dialog takes the place of one. The button of that one rests, so the focus is lost, or
  // it is at the page's content.
  const isLost = activeElement === document.body || activeElement?.id === 'main'
  if (isLost && document.querySelector('[role=dialog]') !== null) return latest
  const last = recent?.element === activeElement || isLost ? recent?.opener : undefined
  const opener = last ?? (activeElement instanceof HTMLElement ? activeElement : null)
  if (opener === null) return []
  const dialog = opener.closest<HTMLElement>('[role=dialog]')
  const before = dialog === null ? [] : [dialog, ...latest]
  latest = [opener, ...before]
  return latest
}

/** The button of an entry's menu. The entry itself may be on the page until the menu has closed. */
function menuButton(element: HTMLElement): HTMLElement | null {
  const name = element.closest('[role=menu]')?.getAttribute('aria-labelledby') ?? ''
  return document.getElementById(name)
}

/** A dialog that closes has left the page by then, with the openers inside it. */
const LEFT_AFTER_MS = 400

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
    focusNearest(openers)
    const given = document.activeElement
    setTimeout(() => {
      // Not for a focus that went on: its button may rest while the next dialog is loaded.
      const isLost = document.activeElement === document.body && recent?.element === given
      if (isLost) focusNearest(openers)
    }, LEFT_AFTER_MS)
  })
}

function focusNearest(openers: Openers): void {
  for (const each of [...openers, document.getElementById('main')]) {
    const opener = each?.isConnected === false ? sameName(each) : each
    if (opener === null || !opener.checkVisibility()) continue
    opener.focus({ preventScroll: true })
    if (document.activeElement === opener) return
  }
}

/** The element that took the place of one, where a part of the page was drawn again. */
function sameName(gone: HTMLElement): HTMLElement | null {
  const name = gone.getAttribute('aria-label')
  if (name === null) return null
  return document.querySelector<HTMLElement>(`[aria-label="${CSS.escape(name)}"]`)
}
