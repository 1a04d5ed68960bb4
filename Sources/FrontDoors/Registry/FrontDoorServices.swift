package import Accounts
package import Commerce
package import Gatefold
package import Primitives

/// The parts of the server that front doors use, and that outlive a configuration.
package struct FrontDoorServices: Sendable {
    /// The broker through which apps receive notifications.
    package struct NotificationBroker: Sendable {
        /// The public host of the broker's WebSocket listener, with a port unless it is 443.
        package let endpoint: String
        /// The region that signed addresses name.
        package let region: String

        package init(endpoint: String, region: String) {
            self.endpoint = endpoint
            self.region = region
        }
    }

    package var clock: WallClock
    package var random: RandomSource
    package var pseudonymKey: PseudonymKey
    package var accountStore: any AccountStore & ItemNumberStore
    package var pinCodeStore: any PINCodeStore
    package var pushTokenStore: any PushTokenStore
    /// The counters of the limits that all processes of the state share.
    package var paceStore: any SharedPaceStore
    package var ledger: any PurchaseLedger
    /// The sender of e-mail messages to readers; nil for none.
    package var mailer: (any Mailer)?
    /// The publisher of account notifications to apps; nil for none.
    package var notificationPublisher: (any NotificationPublisher)?
    /// The broker; nil if apps cannot subscribe to notifications.
    package var notificationBroker: NotificationBroker?
    /// Returns a receiver of the events of a publication, or of events that concern none. Must return at once.
    package var reporter: @Sendable (PublicationID?) -> @Sendable (any ReportableEvent) -> Void

    package init(
        clock: WallClock, random: RandomSource, pseudonymKey: PseudonymKey,
        accountStore: any AccountStore & ItemNumberStore,
        pinCodeStore: any PINCodeStore, pushTokenStore: any PushTokenStore, paceStore: any SharedPaceStore,
        ledger: any PurchaseLedger,
        reporter: @escaping @Sendable (PublicationID?) -> @Sendable (any ReportableEvent) -> Void
    ) {
        self.clock = clock
        self.random = random
        self.pseudonymKey = pseudonymKey
        self.accountStore = accountStore
        self.pinCodeStore = pinCodeStore
        self.pushTokenStore = pushTokenStore
        self.paceStore = paceStore
        self.ledger = ledger
        self.reporter = reporter
    }
}
