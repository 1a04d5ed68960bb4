/// The reason of a refused call, for logs, metrics and the operator. A reader never receives it.
///
/// The raw value is the stable code. A reason says no more about a reader than the reader's own systems do: an unknown
/// reader and a wrong password are one reason.
public enum RefusalReason: String, Sendable, CaseIterable {
    // MARK: Requests

    /// The request cannot be understood, or lacks a field that the call needs.
    case malformedRequest = "malformed_request"
    /// The call names no publication, app or merchant that the configuration has.
    case unknownPublication = "unknown_publication"
    /// The publication or the server does not have the requested feature.
    case notOffered = "not_offered"
    /// The server, or the login throttle's queue, has reached a limit.
    case overloaded
    /// The test backend dictated the response.
    case testResponse = "test_response"
    /// An error that the program did not expect.
    case internalError = "internal_error"
    /// A peer that is not a trusted proxy named a request for the gate.
    case untrustedPeer = "untrusted_peer"

    // MARK: Sign-in and accounts

    /// The reader is unknown, or the password is wrong.
    case wrongCredentials = "wrong_credentials"
    /// The sign-in contains no complete credentials of a kind that the publication accepts.
    case missingCredentials = "missing_credentials"
    /// Too many wrong attempts of the reader, the device or the address.
    case throttled
    /// The reader has opened too many sessions within an hour.
    case sessionLimit = "session_limit"
    /// The subscription is used on the maximum number of devices.
    case deviceLimit = "device_limit"
    /// The publication requires a device, and the app sent none.
    case deviceMissing = "device_missing"
    /// Too many messages to one reader within an hour.
    case mailLimit = "mail_limit"
    /// The mailed code is wrong or has expired.
    case pinRejected = "pin_rejected"
    /// The mailed link for a new password is invalid, expired or used.
    case resetTokenInvalid = "reset_token_invalid"
    /// A reader with this identifier exists.
    case identifierTaken = "identifier_taken"
    /// The reader has a session and no account in this publication.
    case accountMissing = "account_missing"

    // MARK: Sessions

    /// The call needs a token and has none.
    case tokenMissing = "token_missing"
    /// The text is no token of this publication, or its system is no longer configured.
    case tokenUnreadable = "token_unreadable"
    /// The token has expired.
    case tokenExpired = "token_expired"
    /// The session was ended: signed out, evicted by another device, or ended by a password change.
    case sessionRevoked = "session_revoked"

    // MARK: The subscription

    /// The subscriber system no longer knows the reader of a valid session.
    case readerUnknown = "reader_unknown"
    /// The subscriber system has suspended the reader.
    case readerSuspended = "reader_suspended"
    /// The subscription is not active.
    case subscriptionLapsed = "subscription_lapsed"
    /// The subscriber system asks for a new sign-in.
    case subscriptionStale = "subscription_stale"

    // MARK: Editions

    /// The reader's subscription or purchases do not include the edition.
    case notIncluded = "not_included"
    /// The subscriber system itself refused the edition.
    case editionDenied = "edition_denied"
    /// The catalogue does not contain the edition.
    case unknownEdition = "unknown_edition"
    /// The edition is a draft, or its date is in the future.
    case notYetPublished = "not_yet_published"
    /// The call names no edition.
    case editionMissing = "edition_missing"

    // MARK: Downloads

    /// The path belongs to no edition of a publication.
    case unknownContent = "unknown_content"
    /// The download has no edition credentials.
    case editionCredentialsMissing = "edition_credentials_missing"
    /// The edition credentials are wrong or belong to another edition.
    case editionCredentialsWrong = "edition_credentials_wrong"
    /// The edition credentials are right, and their salt is not sealed.
    case editionCredentialsUnsealed = "edition_credentials_unsealed"
    /// The edition credentials have expired.
    case editionCredentialsExpired = "edition_credentials_expired"
    /// The credentials of the feed are wrong or have expired.
    case feedCredentialsWrong = "feed_credentials_wrong"
    /// The download is allowed, and the file does not exist.
    case fileMissing = "file_missing"

    // MARK: Systems that are unavailable

    /// The subscriber system did not respond.
    case backendUnavailable = "backend_unavailable"
    /// The state store did not respond.
    case stateUnavailable = "state_unavailable"
    /// The node has not read revocations for longer than `max_revocation_age`.
    case revocationsOutdated = "revocations_outdated"
    /// The catalogue has not been loaded since the start.
    case catalogueUnavailable = "catalogue_unavailable"
    /// The app store did not respond, and the receipt could not be queued.
    case storeUnavailable = "store_unavailable"
    /// The state changed while the call was in progress.
    case conflict

    // MARK: Receipts of app stores

    /// The text is no receipt of the store.
    case receiptMalformed = "receipt_malformed"
    /// The receipt is not signed by the store.
    case receiptForged = "receipt_forged"
    /// The receipt belongs to another app.
    case receiptOfOtherApp = "receipt_of_other_app"
    /// The receipt is from the sandbox and only production counts, or the reverse.
    case receiptOfOtherEnvironment = "receipt_of_other_environment"
    /// The store does not know the receipt.
    case receiptUnknown = "receipt_unknown"
    /// The store reports that the receipt has expired.
    case receiptExpired = "receipt_expired"
    /// The purchases of the receipt were refunded.
    case receiptRevoked = "receipt_revoked"
    /// The receipt contains no purchase.
    case receiptEmpty = "receipt_empty"
    /// Other readers have claimed the receipt.
    case receiptClaimed = "receipt_claimed"
    /// The receipt is for another product than the app reported.
    case receiptOfOtherProduct = "receipt_of_other_product"
    /// The publication sells in no such store.
    case receiptWithoutStore = "receipt_without_store"
    /// The store rejected the receipt with a status of its own.
    case receiptRejectedByStore = "receipt_rejected_by_store"

    /// A front door refused the request without a reason, which is a defect of Gatefold.
    case unspecified
}
