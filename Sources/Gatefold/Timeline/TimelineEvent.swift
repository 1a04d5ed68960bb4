/// What happened to a reader, for the support desk. It contains no identifier, token, password or address.
package struct TimelineEvent: Sendable, Hashable {
    package let kind: Kind
    package var publication: PublicationID?
    /// The code of a ``RefusedCall``.
    package var call: String?
    /// The code of a ``RefusalReason``.
    package var reason: String?
    package var device: DevicePseudonym?
    package var edition: EditionID?
    /// The subscriber system that decided or failed.
    package var backend: String?
    /// The name of a ``Freshness``.
    package var freshness: String?
    /// A finer statement, such as a product or the states before and after a change. At most ``maxDetailBytes``.
    package var detail: String?

    package static let maxDetailBytes = 200

    package init(
        _ kind: Kind, in publication: PublicationID? = nil, call: String? = nil, reason: String? = nil,
        device: DevicePseudonym? = nil, edition: EditionID? = nil, backend: String? = nil, freshness: String? = nil,
        detail: String? = nil
    ) {
        self.kind = kind
        self.publication = publication
        self.call = call
        self.reason = reason
        self.device = device
        self.edition = edition
        self.backend = backend
        self.freshness = freshness
        self.detail = detail.map { AuditText.replacing($0, maxBytes: Self.maxDetailBytes) }
    }

    /// The event of a refused call. The detail of a refusal is from a fixed set, so that it needs no check.
    package init(_ refusal: Refusal) {
        self.init(
            Kind(refusal.call), in: refusal.publication, call: refusal.call.rawValue, reason: refusal.reason.rawValue,
            edition: refusal.edition, backend: refusal.backend, freshness: refusal.freshness?.name)
        detail = refusal.detail
    }
}

extension TimelineEvent {
    /// The kind of an event. Its code is stable. A newer release may write codes that this one does not know.
    package struct Kind: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        package static let signIn = Kind(rawValue: "sign_in")
        package static let signInRefused = Kind(rawValue: "sign_in_refused")
        /// The first sign-in from a device.
        package static let deviceAdded = Kind(rawValue: "device_added")
        /// A device lost its place to another one.
        package static let deviceEvicted = Kind(rawValue: "device_evicted")
        /// The reader signed out.
        package static let sessionEnded = Kind(rawValue: "session_ended")
        package static let credentialsIssued = Kind(rawValue: "credentials_issued")
        /// Edition credentials were issued although the subscriber system was unavailable.
        package static let failedOpen = Kind(rawValue: "failed_open")
        /// A call other than a sign-in, a download or a receipt was refused.
        package static let refused = Kind(rawValue: "refused")
        /// The gate refused a download.
        package static let downloadRefused = Kind(rawValue: "download_refused")
        /// The subscriber system stated another state or other editions than at its last statement to this node.
        package static let subscriptionChanged = Kind(rawValue: "subscription_changed")
        package static let purchaseRecorded = Kind(rawValue: "purchase_recorded")
        package static let purchaseRejected = Kind(rawValue: "purchase_rejected")
        /// A notification was passed to the broker for the reader's apps.
        package static let notificationPublished = Kind(rawValue: "notification_published")

        package static let all = [
            signIn, signInRefused, deviceAdded, deviceEvicted, sessionEnded, credentialsIssued, failedOpen, refused,
            downloadRefused, subscriptionChanged, purchaseRecorded, purchaseRejected, notificationPublished,
        ]

        fileprivate init(_ call: RefusedCall) {
            self =
                switch call {
                case .signIn: .signInRefused
                case .download: .downloadRefused
                case .purchase: .purchaseRejected
                default: .refused
                }
        }
    }
}
