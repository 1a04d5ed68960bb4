public import Foundation
import JSON

/// A Baker app as PROTOCOLS section 2 says the real one behaves.
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

        /// The layout of production.
        public init(base: String, appID: String, userID: String) {
            self.appID = appID
            self.userID = userID
            shelf = "\(base)/issues/:app_id/:user_id"
            purchases = "\(base)/purchases/:app_id/:user_id"
            confirmation = "\(base)/confirmpurchase/:app_id/:user_id"
            pushToken = "\(base)/apns/:app_id/:user_id"
        }

        /// URLs without placeholders: everything is sent in query or body.
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
        /// Nil for a date in a form that the client does not read.
        public let date: Date?
        public let cover: String
        public let url: String
        public let productID: String?
        public let categories: [String]
    }

    /// A purchase as StoreKit hands it over: it stays in the queue until it is finished.
    public struct Transaction: Sendable, Equatable {
        public let productID: String
        /// The base64 of the receipt, unwrapped.
        public let receipt: String
        public let type: String

        public init(productID: String, receipt: String, type: String = "issue") {
            self.productID = productID
            self.receipt = receipt
            self.type = type
        }
    }

    /// What ends the app.
    public enum Crash: Error, Equatable {
        case shelfIsNoArray
        case nullMember(String)
    }

    public struct NotOnTheShelf: Error {
        public let name: String
    }

    public private(set) var settings: Settings
    private let transport: AppTransport
    private var random: SeededRandom
    /// The file shelf.json.
    public private(set) var savedShelf: [UInt8]?
    public private(set) var issues: [Issue] = []
    /// Names of issues downloaded.
    public private(set) var library: Set<String> = []
    /// Products marked as bought on the device.
    public private(set) var marks: Set<String> = []
    /// The last good answer about purchases.
    public private(set) var products: Set<String>?
    public private(set) var isSubscribed = false
    public private(set) var queue: [Transaction] = []
    /// What the reader was shown.
    public private(set) var complaints: [String] = []

    /// - Parameter seed: of the order in which placeholders are filled in: a dictionary has none.
    public init(_ settings: Settings, transport: AppTransport = .plain, seed: UInt64 = 1) {
        self.settings = settings
        self.transport = transport
        random = SeededRandom(seed: seed)
    }

    // MARK: - What the reader does

    /// Opens the shelf: whatever is left in the queue is finished, whether or not it was recorded ("limbo").
    public func showShelf() async throws {
        queue = []
        try await refreshShelf()
        try await refreshPurchases()
    }

    /// - Returns: whether the purchase was recorded.
    @discardableResult
    public func buy(_ transaction: Transaction) async throws -> Bool {
        queue.append(transaction)
        let isRecorded = try await confirm(transaction)
        if isRecorded { try await refreshPurchases() }
        return isRecorded
    }

    /// StoreKit hands over everything the Apple account ever bought.
    ///
    /// - Returns: how many were recorded.
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
        return products?.contains(product) ?? marks.contains(product)
    }

    /// Asks for an issue's archive, a part of it at most where `fields` say so.
    public func download(_ issue: Issue, _ fields: [(String, String)] = []) async throws -> RawResponse {
        let (url, rest) = filled(issue.url, common)
        let answer = try await transport.send(
            AppTransport.Request(method: "GET", url: Self.appended(rest, to: url), fields: fields))
        if answer.status == 200 { library.insert(issue.name) }
        return answer
    }

    /// The same for an issue of the shelf by its name.
    ///
    /// - Throws: ``NotOnTheShelf`` as well.
    public func download(named name: String) async throws -> RawResponse {
        guard let issue = issue(name) else { throw NotOnTheShelf(name: name) }
        return try await download(issue)
    }

    public func issue(_ name: String) -> Issue? { issues.first { $0.name == name } }

    /// At every launch; the answer is not looked at.
    @discardableResult
    public func launch(pushToken: String) async throws -> RawResponse {
        try await post(settings.pushToken, [("apns_token", pushToken)])
    }

    /// As after an update of the app with another URL in it.
    ///
    /// - Parameter nameless: whether it forgets its own name and the reader's, so that the URL alone counts.
    public func move(shelf: String, nameless: Bool = false) {
        settings.shelf = shelf
        if nameless { (settings.appID, settings.userID) = ("", "") }
    }

    // MARK: - What the app does

    public func refreshShelf() async throws {
        let answer = try await get(settings.shelf)
        // Saved whatever it is; a failure leaves the last one.
        if answer.status == 200 { savedShelf = answer.body }
        issues = try savedShelf.map { try Self.issues(in: $0) } ?? []
        issues.sort { ($1.date ?? .distantPast) < ($0.date ?? .distantPast) }
        // What is no longer on the shelf goes from the device.
        library.formIntersection(issues.map(\.name))
    }

    public func refreshPurchases() async throws {
        let answer = try await get(settings.purchases)
        guard answer.status == 200, let value = try? JSONParser.parse(answer.body), value.members != nil else { return }
        if value["issues"] == .null { throw Crash.nullMember("issues") }
        products = Set((value["issues"]?.items ?? []).compactMap(\.text))
        switch value["subscribed"] {
        case .boolean(let truth): isSubscribed = truth
        case .number(let digits): isSubscribed = digits != "0"
        case .string(let text): isSubscribed = ["true", "yes", "1"].contains(text.lowercased())
        default: isSubscribed = false
        }
    }

    private func confirm(_ transaction: Transaction) async throws -> Bool {
        marks.insert(transaction.productID)
        let answer = try? await post(
            settings.confirmation, [("receipt_data", transaction.receipt), ("type", transaction.type)])
        // Exactly 200; the body is not read.
        guard answer?.status == 200 else {
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

// MARK: - How it writes URLs

extension BakerClient {
    /// Puts parameters in the place of their placeholders: any name, in any case, the first occurrence, as it is. What is put
    /// in is sent nowhere else.
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

    /// Not percent-encoded.
    private static func appended(_ parameters: [(String, String)], to url: String) -> String {
        parameters.reduce(url) { url, parameter in
            url + (url.contains("?") ? "&" : "?") + "\(parameter.0)=\(parameter.1)"
        }
    }

    /// CFURLCreateStringByAddingPercentEscapes with `=/:` to escape besides: `+`, `&` and their like stay.
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

    /// What is no JSON is an empty shelf.
    private static func issues(in bytes: [UInt8]) throws -> [Issue] {
        guard let value = try? JSONParser.parse(bytes) else { return [] }
        guard let items = value.items else { throw Crash.shelfIsNoArray }
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
