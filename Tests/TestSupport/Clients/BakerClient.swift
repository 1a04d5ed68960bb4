public import Foundation
import JSON

/// A Baker app that behaves as Baker protocol, “Overview”, describes.
public actor BakerClient {
    public struct Settings: Sendable {
        public var appID: String
        public var userID: String
        public var environment = "production"
        public var deviceType = "tablet"
        public var shelf: String
        public var purchases: String
        public var confirmation: String
        public var pushToken: String

        /// Creates the layout of production.
        public init(base: String, appID: String, userID: String) {
            self.appID = appID
            self.userID = userID
            shelf = "\(base)/issues/:app_id/:user_id"
            purchases = "\(base)/purchases/:app_id/:user_id"
            confirmation = "\(base)/confirmpurchase/:app_id/:user_id"
            pushToken = "\(base)/apns/:app_id/:user_id"
        }

        /// Returns URLs without placeholders: all parameters are in the query or the body.
        public func withoutPlaceholders() -> Settings {
            var settings = self
            for path in [\Settings.shelf, \.purchases, \.confirmation, \.pushToken]
                as [WritableKeyPath<Settings, String>]
            {
                settings[keyPath: path] = settings[keyPath: path].replacing("/:app_id/:user_id", with: "")
            }
            return settings
        }
    }

    public struct Issue: Sendable, Equatable {
        public let name: String
        public let title: String
        /// The date, or nil if the client cannot parse it.
        public let date: Date?
        public let cover: String
        public let url: String
        public let productID: String?
        public let categories: [String]
    }

    /// A StoreKit purchase, which stays in the queue until it is finished.
    public struct Transaction: Sendable, Equatable {
        public let productID: String
        /// The base64 of the receipt without line breaks.
        public let receipt: String
        public let type: String

        public init(productID: String, receipt: String, type: String = "issue") {
            self.productID = productID
            self.receipt = receipt
            self.type = type
        }
    }

    /// The reasons for a crash of the app.
    public enum Crash: Error, Equatable {
        case catalogueIsNotAnArray
        case nullMember(String)
    }

    public struct NotInCatalogue: Error {
        public let name: String
    }

    public private(set) var settings: Settings
    private let transport: AppTransport
    private var random: SeededRandom
    /// The content of shelf.json.
    public private(set) var savedCatalogue: [UInt8]?
    public private(set) var issues: [Issue] = []
    /// The names of downloaded issues.
    public private(set) var library: Set<String> = []
    /// The products marked as purchased on the device.
    public private(set) var purchasedProducts: Set<String> = []
    /// The last successful response about purchases.
    public private(set) var products: Set<String>?
    public private(set) var isSubscribed = false
    public private(set) var queue: [Transaction] = []
    /// The messages shown to the reader.
    public private(set) var complaints: [String] = []

    /// - Parameter seed: Determines the order in which placeholders are filled, because a dictionary has none.
    public init(_ settings: Settings, transport: AppTransport = .plain, seed: UInt64 = 1) {
        self.settings = settings
        self.transport = transport
        random = SeededRandom(seed: seed)
    }

    // MARK: - Actions of the reader

    /// Opens the shelf. The remaining transactions in the queue are finished whether recorded or not ("limbo").
    public func showCatalogue() async throws {
        queue = []
        try await refreshCatalogue()
        try await refreshPurchases()
    }

    /// - Returns: Whether the purchase was recorded.
    @discardableResult
    public func buy(_ transaction: Transaction) async throws -> Bool {
        queue.append(transaction)
        let isRecorded = try await confirm(transaction)
        if isRecorded { try await refreshPurchases() }
        return isRecorded
    }

    /// Submits all purchases of the Apple account, as StoreKit restores them.
    ///
    /// - Returns: The number of recorded purchases.
    @discardableResult
    public func restore(_ transactions: [Transaction]) async throws -> Int {
        var recorded = 0
        for transaction in transactions {
            queue.append(transaction)
            if try await confirm(transaction) { recorded += 1 }
        }
        try await refreshPurchases()
        return recorded
    }

    public func isUnlocked(_ issue: Issue) -> Bool {
        guard let product = issue.productID else { return true }
        return products?.contains(product) ?? purchasedProducts.contains(product)
    }

    /// Requests an issue's archive, or a part of it according to `fields`.
    public func download(_ issue: Issue, _ fields: [(String, String)] = []) async throws -> RawResponse {
        let (url, rest) = filled(issue.url, common)
        let response = try await transport.send(
            AppTransport.Request(method: "GET", url: Self.appended(rest, to: url), fields: fields))
        if response.status == 200 { library.insert(issue.name) }
        return response
    }

    /// Requests the archive of an issue on the shelf by its name.
    ///
    /// - Throws: Also ``NotInCatalogue``.
    public func download(named name: String) async throws -> RawResponse {
        guard let issue = issue(name) else { throw NotInCatalogue(name: name) }
        return try await download(issue)
    }

    public func issue(_ name: String) -> Issue? { issues.first { $0.name == name } }

    /// Registers the push token at every launch. The app ignores the response.
    @discardableResult
    public func launch(pushToken: String) async throws -> RawResponse {
        try await post(settings.pushToken, [("apns_token", pushToken)])
    }

    /// Changes the URLs like an update of the app.
    ///
    /// - Parameter nameless: Whether the app omits its own and the reader's name, so that only the URL matters.
    public func move(shelf: String, nameless: Bool = false) {
        settings.shelf = shelf
        if nameless { (settings.appID, settings.userID) = ("", "") }
    }

    // MARK: - Actions of the app

    public func refreshCatalogue() async throws {
        let response = try await get(settings.shelf)
        // Saves any content of a successful response. A failure keeps the last one.
        if response.status == 200 { savedCatalogue = response.body }
        issues = try savedCatalogue.map { try Self.issues(in: $0) } ?? []
        issues.sort { ($1.date ?? .distantPast) < ($0.date ?? .distantPast) }
        // Issues that are no longer on the shelf are deleted from the device.
        library.formIntersection(issues.map(\.name))
    }

    public func refreshPurchases() async throws {
        let response = try await get(settings.purchases)
        guard response.status == 200, let value = try? JSONParser.parse(response.body), value.members != nil else {
            return
        }
        if value["issues"] == .null { throw Crash.nullMember("issues") }
        products = Set((value["issues"]?.items ?? []).compactMap(\.text))
        switch value["subscribed"] {
        case .boolean(let boolValue): isSubscribed = boolValue
        case .number(let digits): isSubscribed = digits != "0"
        case .string(let text): isSubscribed = ["true", "yes", "1"].contains(text.lowercased())
        default: isSubscribed = false
        }
    }

    private func confirm(_ transaction: Transaction) async throws -> Bool {
        purchasedProducts.insert(transaction.productID)
        let response = try? await post(
            settings.confirmation, [("receipt_data", transaction.receipt), ("type", transaction.type)])
        // Exactly 200. The app does not read the body.
        guard response?.status == 200 else {
            complaints.append("The purchase could not be recorded")
            return false
        }
        queue.removeAll { $0 == transaction }
        return true
    }

    private var common: [(String, String)] {
        [
            ("app_id", settings.appID), ("user_id", settings.userID), ("environment", settings.environment),
            ("devicetype", settings.deviceType),
        ]
    }

    private func get(_ url: String) async throws -> RawResponse {
        let (url, rest) = filled(url, common)
        return try await transport.send(AppTransport.Request(method: "GET", url: Self.appended(rest, to: url)))
    }

    private func post(_ url: String, _ more: [(String, String)]) async throws -> RawResponse {
        let (url, rest) = filled(url, common + more)
        let body = rest.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
        return try await transport.send(
            AppTransport.Request(
                method: "POST", url: url,
                fields: [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")], body: Array(body.utf8)))
    }
}

// MARK: - URLs

extension BakerClient {
    /// Replaces placeholders by parameters: any name in any case, the first occurrence, without escaping. A replaced
    /// parameter is not sent elsewhere.
    private func filled(
        _ url: String, _ parameters: [(String, String)]
    ) -> (url: String, rest: [(String, String)]) {
        var url = url
        var rest: [(String, String)] = []
        for (name, value) in parameters.shuffled(using: &random) {
            if let place = url.range(of: ":" + name, options: .caseInsensitive) {
                url.replaceSubrange(place, with: value)
            } else {
                rest.append((name, value))
            }
        }
        return (url, rest)
    }

    /// Appends parameters without percent-encoding.
    private static func appended(_ parameters: [(String, String)], to url: String) -> String {
        parameters.reduce(url) { url, parameter in
            url + (url.contains("?") ? "&" : "?") + "\(parameter.0)=\(parameter.1)"
        }
    }

    /// Escapes like CFURLCreateStringByAddingPercentEscapes with `=/:` as additional characters. `+`, `&` and similar
    /// characters remain.
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x21...0x7E where !"\"#%<>[\\]^`{|}=/:".utf8.contains(byte): String(Unicode.Scalar(byte))
            default: String(format: "%%%02X", byte)
            }
        }.joined()
    }

    private static func dates() -> DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return formatter
    }

    /// Returns the issues. A response that is not JSON is an empty shelf.
    private static func issues(in bytes: [UInt8]) throws -> [Issue] {
        guard let value = try? JSONParser.parse(bytes) else { return [] }
        guard let items = value.items else { throw Crash.catalogueIsNotAnArray }
        let dates = dates()
        return try items.map { item in
            for name in ["name", "title", "cover", "url"] where item[name]?.text == nil { throw Crash.nullMember(name) }
            return Issue(
                name: item["name"]?.text ?? "", title: item["title"]?.text ?? "",
                date: item["date"]?.text.flatMap { dates.date(from: $0) }, cover: item["cover"]?.text ?? "",
                url: item["url"]?.text ?? "", productID: item["product_id"]?.text,
                categories: (item["categories"]?.items ?? []).compactMap(\.text))
        }
    }
}
