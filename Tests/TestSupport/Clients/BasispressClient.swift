import Foundation
import JSON

/// A Basispress reader that behaves as Basispress protocol, “Receipt request”, describes.
public struct BasispressClient: Sendable {
    /// The encoding of the receipt in the request.
    public enum Style: String, Sendable, CaseIterable {
        /// In the query, correctly percent-encoded.
        case query
        /// In the query with unescaped `+`.
        case rawQuery
        /// In the query in the URL-safe alphabet.
        case safeQuery
        case form, json
    }

    /// An error that stops the app.
    public enum SimulatedError: Error, Equatable {
        case status(Int)
        case noJSON
    }

    public struct Issue: Sendable, Equatable {
        public let name: String
        public let product: String
        public let cover: String
        public let created: String
    }

    public let base: String
    public let bundle: String
    private let transport: AppTransport

    public init(base: String, bundle: String, transport: AppTransport = .plain) {
        self.base = base
        self.bundle = bundle
        self.transport = transport
    }

    /// Returns the available issues.
    public func issues() async throws -> [Issue] {
        (try await document()["issues"]?.items ?? []).map {
            Issue(
                name: $0["name"]?.text ?? "", product: $0["product_identifier"]?.text ?? "",
                cover: $0["cover"]?.text ?? "", created: $0["created_at"]?.text ?? "")
        }
    }

    /// Returns the subscription products.
    public func subscriptions() async throws -> [String] {
        (try await document()["subscriptions"]?.items ?? []).compactMap { $0["product_identifier"]?.text }
    }

    /// Submits a receipt.
    ///
    /// - Parameter product: The requested issue's product, for a subscription receipt.
    /// - Returns: The download URL of the issue, or nil if the receipt does not open it.
    public func offer(_ receipt: String, for product: String? = nil, _ style: Style = .query) async throws -> String? {
        let value = try await read(offerRequest(receipt, product, style))
        return value["status"]?.text == "ok" ? value["download_url"]?.text : nil
    }

    /// Requests a download URL.
    public func download(_ url: String, _ fields: [(String, String)] = []) async throws -> RawResponse {
        try await transport.send(AppTransport.Request(method: "GET", url: url, fields: fields))
    }

    /// - Parameter text: The token in base64.
    public func launch(pushToken text: String) async throws -> RawResponse {
        let body: JSONValue = ["bundle_id": .string(bundle), "push_token": ["token": .string(text)]]
        return try await transport.send(
            AppTransport.Request(
                method: "POST", url: "\(base)/push_tokens.json", fields: [("Content-Type", "application/json")],
                body: JSONWriter.bytes(body)))
    }

    private func document() async throws -> JSONValue {
        try await read(AppTransport.Request(method: "GET", url: "\(base)/api/protocol.json?id=\(bundle)"))
    }

    private func read(_ request: AppTransport.Request) async throws -> JSONValue {
        let response = try await transport.send(request)
        guard response.status == 200 else { throw SimulatedError.status(response.status) }
        guard let value = try? JSONParser.parse(response.body) else { throw SimulatedError.noJSON }
        return value
    }

    private func offerRequest(_ receipt: String, _ product: String?, _ style: Style) -> AppTransport.Request {
        let url = "\(base)/api/receipt.json"
        let pairs = [("id", bundle), ("data", receipt)] + (product.map { [("product_identifier", $0)] } ?? [])
        func text(_ value: (String) -> String) -> String {
            pairs.map { "\($0.0)=\(value($0.1))" }.joined(separator: "&")
        }
        switch style {
        case .query: return AppTransport.Request(method: "GET", url: "\(url)?\(text(\.formEncoded))")
        case .rawQuery: return AppTransport.Request(method: "GET", url: "\(url)?\(text { $0 })")
        case .safeQuery:
            let safe = text { $0.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") }
            return AppTransport.Request(method: "GET", url: "\(url)?\(safe)")
        case .form:
            return AppTransport.Request(
                method: "POST", url: url, fields: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(text(\.formEncoded).utf8))
        case .json:
            let members = pairs.map { JSONValue.Member(name: $0.0, value: .string($0.1)) }
            return AppTransport.Request(
                method: "POST", url: url, fields: [("Content-Type", "application/json")],
                body: JSONWriter.bytes(.object(members)))
        }
    }
}
