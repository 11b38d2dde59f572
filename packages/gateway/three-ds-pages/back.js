'use strict'

/**
 * Takes the customer back to the shop. In the frame that the issuer had, the page around it does, which
 * is the gateway's own and goes there once. Where the issuer broke out of that frame, this page goes by
 * itself.
 */

function isInOwnPage() {
  try {
    return parent !== self && parent.location.origin === location.origin
  } catch {
    return false
  }
}

const form = document.getElementById('leave')
if (form instanceof HTMLFormElement) {
  if (form.target === '_parent' && isInOwnPage()) {
    parent.postMessage('tollgate.three-ds.back', location.origin)
  } else {
    form.target = '_self'
    form.submit()
  }
}
