import { Drawer, Modal, type DrawerProps, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { openersOfDialog, returnFocus } from './focus-return.ts'

/**
 * A dialog above the page. When it closes, the focus returns to where the user was before. The
 * library does that only for dialogs that are on the page before they open.
 */
export function Dialog(props: ModalProps) {
  return (
    <>
      {props.opened && <FocusReturn />}
      <Modal {...props} returnFocus={false} />
    </>
  )
}

/** A dialog at the side of the page. */
export function SideDialog(props: DrawerProps) {
  return (
    <>
      {props.opened && <FocusReturn />}
      <Drawer {...props} returnFocus={false} onClose={() => isCovered() || props.onClose()} />
    </>
  )
}

/** Escape closes the dialog above it alone. */
function isCovered(): boolean {
  return document.querySelectorAll('[role=dialog]').length > 1
}

/** Is on the page as long as its dialog is open. */
function FocusReturn() {
  // Read before anything in the dialog takes the focus.
  const [openers] = useState(openersOfDialog)
  useEffect(() => () => returnFocus(openers), [openers])
  return null
}
