import Foundation
public import Gatefold

/// A service of JSON over HTTP, with the settings of the documentation.
public struct HTTPServiceFixture: BackendFixture {
    public static let name = "http-json"
    public static let outages = Outage.allCases

    public let service: PHPService

    public static func run(_ body: (HTTPServiceFixture) async throws -> Void) async throws {
        try await PHPService.run { try await body(HTTPServiceFixture(service: $0)) }
    }

    public var environment: [String: String] { ["READERS_API_KEY": "the key of Gatefold"] }

    public var settings: String { service.configuration("http-json.yaml") }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try service.change(reader.email) { $0.state = state.rawValue }
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try service.change(reader.email) { $0.password = password }
    }

    public func fail(_ outage: Outage) async throws { try await service.fail(outage) }
    public func recover() async throws { try await service.recover() }
}

/// A service of SOAP 1.1, with the settings of the documentation.
public struct SOAPFixture: BackendFixture {
    public static let name = "http-soap"
    public static let outages = Outage.allCases

    public let service: PHPService

    public static func run(_ body: (SOAPFixture) async throws -> Void) async throws {
        try await PHPService.run { try await body(SOAPFixture(service: $0)) }
    }

    public var settings: String { service.configuration("http-soap.yaml") }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try service.change(reader.email) { $0.state = state.rawValue }
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try service.change(reader.email) { $0.password = password }
    }

    /// Uses a SOAP fault as the service's own error.
    public func fail(_ outage: Outage) async throws { try await service.fail(outage, error: "fault") }
    public func recover() async throws { try await service.recover() }
}

extension PHPService {
    /// Returns a backend's section of the documentation, adapted to this service.
    public func configuration(_ name: String) -> String {
        let file = Self.fixtures.appending(path: "Configurations/\(name)")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.replacing("https://readers.example.com", with: base)
    }
}
