/// Where InPlayer's services are.
public struct InPlayerEnvironment: Sendable, Hashable {
    /// What the path of every call follows, without a slash at its end.
    public let services: String
    /// Where the temporary keys for notifications are asked for.
    public let notificationKeys: String

    private init(known services: String, notificationKeys: String) {
        self.services = services
        self.notificationKeys = notificationKeys
    }

    /// Where real money is paid.
    public static let production = InPlayerEnvironment(
        known: "https://services.inplayer.com", notificationKeys: "https://notifications.inplayer.com/iot/keys")

    /// For trying things out.
    public static let staging = InPlayerEnvironment(
        known: "https://staging-v2.inplayer.com",
        notificationKeys: "https://staging-notifications.inplayer.com/iot/keys")

    /// Services that speak InPlayer's protocol somewhere else.
    ///
    /// - Parameters:
    ///   - services: an http or https URL without a query, such as `https://gate.example.com/daily`.
    ///   - notificationKeys: `/iot/keys` below `services` unless said.
    /// - Returns: nil when one of them is no such URL.
    public init?(services: String, notificationKeys: String? = nil) {
        guard let base = Self.base(services), let keys = Self.base(notificationKeys ?? "\(base)/iot/keys") else {
            return nil
        }
        self.services = base
        self.notificationKeys = keys
    }

    private static func base(_ text: String) -> String? {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        guard let address = WebAddress(String(text)), address.query == nil, !text.contains("#") else { return nil }
        return String(text)
    }
}
