/// The reason of a refused call, for logs, metrics and the operator. A reader never receives it.
///
/// The raw value is the stable code. A reason says no more about a reader than the reader's own systems do: an unknown
/// reader and a wrong password are one reason.
public enum RefusalReason: String, Sendable, CaseIterable {
    // MARK: Requests

    /// The request cannot be understood, or lacks a field that the call needs. Remedy: compare the request with the
    /// protocol of the app.
    case malformedRequest = "malformed_request"
    /// The call names no publication, app or merchant that the configuration has. Remedy: correct the address in the
    /// app, or add the app to the publication.
    case unknownPublication = "unknown_publication"
    /// The publication or the server does not have the requested feature. Remedy: configure it.
    case notOffered = "not_offered"
    /// The server, or the login throttle's queue, has reached a limit. Remedy: see the limits of the listener and
    /// `max_concurrent`.
    case overloaded
    /// The test backend dictated the response. Remedy: none; a test reader requested it.
    case testResponse = "test_response"
    /// An error that the program did not expect. Remedy: read the error of the same request in the log.
    case internalError = "internal_error"
    /// A peer that is not a trusted proxy named a request for the gate. Remedy: list the front server in
    /// `trusted_proxies`.
    case untrustedPeer = "untrusted_peer"

    // MARK: Sign-in and accounts

    /// The reader is unknown, or the password is wrong. Remedy: the reader types the details again, or the subscriber
    /// system corrects them.
    case wrongCredentials = "wrong_credentials"
    /// The sign-in contains no complete credentials of a kind that the publication accepts. Remedy: compare the field
    /// names of the app with `credentials`.
    case missingCredentials = "missing_credentials"
    /// Too many wrong attempts of the reader, the device or the address. Remedy: wait, or raise `login_throttle`.
    case throttled
    /// The reader has opened too many sessions within an hour. Remedy: wait; look for an app that signs in repeatedly.
    case sessionLimit = "session_limit"
    /// The subscription is used on the maximum number of devices. Remedy: sign out a device, or raise `devices`.
    case deviceLimit = "device_limit"
    /// The publication requires a device, and the app sent none. Remedy: update the app.
    case deviceMissing = "device_missing"
    /// Too many messages to one reader within an hour. Remedy: wait.
    case mailLimit = "mail_limit"
    /// The mailed code is wrong or has expired. Remedy: request a new code.
    case pinRejected = "pin_rejected"
    /// The mailed link for a new password is invalid, expired or used. Remedy: request a new message.
    case resetTokenInvalid = "reset_token_invalid"
    /// A reader with this identifier exists. Remedy: sign in, or reset the password.
    case identifierTaken = "identifier_taken"
    /// The reader has a session and no account in this publication. Remedy: sign in again.
    case accountMissing = "account_missing"

    // MARK: Sessions

    /// The call needs a token and has none. Remedy: sign in.
    case tokenMissing = "token_missing"
    /// The text is no token of this publication, or its system is no longer configured. Remedy: sign in again; check
    /// that all nodes have the same secrets.
    case tokenUnreadable = "token_unreadable"
    /// The token has expired. Remedy: the app renews it, or the reader signs in again.
    case tokenExpired = "token_expired"
    /// The session was ended: signed out, evicted by another device, or ended by a password change. Remedy: sign in
    /// again.
    case sessionRevoked = "session_revoked"

    // MARK: The subscription

    /// The subscriber system no longer knows the reader of a valid session. Remedy: look up the reader there.
    case readerUnknown = "reader_unknown"
    /// The subscriber system has suspended the reader. Remedy: lift the suspension there.
    case readerSuspended = "reader_suspended"
    /// The subscription is not active. Remedy: renew it; check its dates and its state in the subscriber system.
    case subscriptionLapsed = "subscription_lapsed"
    /// The subscriber system asks for a new sign-in. Remedy: sign in again.
    case subscriptionStale = "subscription_stale"

    // MARK: Editions

    /// The reader's subscription or purchases do not include the edition. Remedy: check the list of editions in the
    /// subscriber system, and the policy of the publication.
    case notIncluded = "not_included"
    /// The subscriber system itself refused the edition. Remedy: look there.
    case editionDenied = "edition_denied"
    /// The catalogue does not contain the edition. Remedy: compare the identifier with the catalogue, or update the
    /// catalogue.
    case unknownEdition = "unknown_edition"
    /// The edition is a draft, or its date is in the future. Remedy: wait, or correct the date in the catalogue.
    case notYetPublished = "not_yet_published"
    /// The call names no edition. Remedy: update the app.
    case editionMissing = "edition_missing"

    // MARK: Downloads

    /// The path belongs to no edition of a publication. Remedy: compare it with the content layout.
    case unknownContent = "unknown_content"
    /// The download has no edition credentials. Remedy: the app requests them first.
    case editionCredentialsMissing = "edition_credentials_missing"
    /// The edition credentials are wrong or belong to another edition. Remedy: check that gate and issuer have the same
    /// secret.
    case editionCredentialsWrong = "edition_credentials_wrong"
    /// The edition credentials are right, and their salt is not sealed. Remedy: request new ones, or set
    /// `edition_credentials.accept_plain_salts`.
    case editionCredentialsUnsealed = "edition_credentials_unsealed"
    /// The edition credentials have expired. Remedy: the app requests new ones.
    case editionCredentialsExpired = "edition_credentials_expired"
    /// The credentials of the feed are wrong or have expired. Remedy: sign in again.
    case feedCredentialsWrong = "feed_credentials_wrong"
    /// The download is allowed, and the file does not exist. Remedy: copy the file to the content directory.
    case fileMissing = "file_missing"

    // MARK: Systems that are unavailable

    /// The subscriber system did not respond. Remedy: see `/readyz` and the error with the same request in the log.
    case backendUnavailable = "backend_unavailable"
    /// The state store did not respond. Remedy: see `/readyz`.
    case stateUnavailable = "state_unavailable"
    /// The node has not read revocations for longer than `max_revocation_age`. Remedy: restore the state store.
    case revocationsOutdated = "revocations_outdated"
    /// The catalogue has not been loaded since the start. Remedy: see `/readyz`.
    case catalogueUnavailable = "catalogue_unavailable"
    /// The app store did not respond, and the receipt could not be queued. Remedy: wait.
    case storeUnavailable = "store_unavailable"
    /// The state changed while the call was in progress. Remedy: the app repeats the call.
    case conflict

    // MARK: Receipts of app stores

    /// The text is no receipt of the store. Remedy: update the app.
    case receiptMalformed = "receipt_malformed"
    /// The receipt is not signed by the store. Remedy: none; someone made it.
    case receiptForged = "receipt_forged"
    /// The receipt belongs to another app. Remedy: add the app to the publication.
    case receiptOfOtherApp = "receipt_of_other_app"
    /// The receipt is from the sandbox and only production counts, or the reverse. Remedy: set `environments` of the store and
    /// `sandbox` of the publication.
    case receiptOfOtherEnvironment = "receipt_of_other_environment"
    /// The store does not know the receipt. Remedy: the app restores its purchases.
    case receiptUnknown = "receipt_unknown"
    /// The store reports that the receipt has expired. Remedy: renew the subscription in the store.
    case receiptExpired = "receipt_expired"
    /// The purchases of the receipt were refunded. Remedy: buy again.
    case receiptRevoked = "receipt_revoked"
    /// The receipt contains no purchase. Remedy: the app restores its purchases.
    case receiptEmpty = "receipt_empty"
    /// Other readers have claimed the receipt. Remedy: sign in with the account that bought.
    case receiptClaimed = "receipt_claimed"
    /// The receipt is for another product than the app reported. Remedy: compare the products with the configuration.
    case receiptOfOtherProduct = "receipt_of_other_product"
    /// The publication sells in no such store. Remedy: configure the store.
    case receiptWithoutStore = "receipt_without_store"
    /// The store rejected the receipt with a status of its own. Remedy: look up the status in the store's
    /// documentation.
    case receiptRejectedByStore = "receipt_rejected_by_store"

    /// A front door refused the request without a reason, which is a defect of Gatefold. Remedy: report it.
    case unspecified
}
