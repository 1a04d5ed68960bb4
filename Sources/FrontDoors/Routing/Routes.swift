package import Gatefold
package import HTTPTypes
package import Hummingbird

/// The routes of one configuration, in their order of precedence.
///
/// Several routes may match a path. The first one whose handler returns a response handles the request. A handler
/// returns `nil` for a path that its front door does not have in this configuration, such as one with the name of
/// another front door's publication.
package struct Routes: Sendable {
    package typealias Handler = @Sendable (Request, GatefoldRequestContext) async throws -> Response?

    package enum Methods: Sendable {
        /// The methods of RFC 9110 and RFC 5789. A request with any other method has no route.
        case standard
        /// All methods, including unknown ones.
        case all
        case only([HTTPRequest.Method])
    }

    package struct Route: Sendable {
        /// The pattern, which is also the label of the route in logs and metrics. A handler can set another label.
        package let pattern: RoutePattern
        let methods: Methods
        let matchesEscapes: Bool
        let handler: Handler

        func allows(_ method: HTTPRequest.Method) -> Bool {
            switch methods {
            case .all: true
            case .standard: HTTPRequest.Method.every.contains(method)
            case .only(let methods): methods.contains(method)
            }
        }

        /// The methods of RFC 9110 and RFC 5789 that the route allows.
        package var standardMethods: [HTTPRequest.Method] { HTTPRequest.Method.every.filter(allows) }
    }

    package private(set) var all: [Route] = []
    /// What the listener knows about clients.
    package let clients: RequestClients

    package init(clients: RequestClients = RequestClients()) {
        self.clients = clients
    }

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - pattern: The paths of the route.
    ///   - methods: The methods for which the handler is called. Default: the standard ones.
    ///   - matchesEscapes: Whether the route also handles paths of which percent-escapes hide literal segments.
    ///     Default: false, because a cache between may treat two spellings of a path as two paths.
    ///   - handler: Handles a request, or returns `nil` for a path of another route.
    package mutating func on(
        _ pattern: RoutePattern, methods: Methods = .standard, matchesEscapes: Bool = false,
        handler: @escaping Handler
    ) {
        all.append(Route(pattern: pattern, methods: methods, matchesEscapes: matchesEscapes, handler: handler))
    }
}

/// What the listener knows about the clients of requests, by the proxies that a configuration trusts.
package struct RequestClients: Sendable {
    /// Returns the client's address. A front door calls it once for each request that it handles.
    package var address: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?
    /// Returns the client's address, or `nil` if it is the address of many clients.
    package var unsharedAddress: @Sendable (Request, GatefoldRequestContext) -> ClientAddress?
    /// Returns whether the peer may name the request that an auth request is about.
    package var mayNameTarget: @Sendable (GatefoldRequestContext) -> Bool

    package init(
        address: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { _, _ in nil },
        unsharedAddress: @escaping @Sendable (Request, GatefoldRequestContext) -> ClientAddress? = { _, _ in nil },
        mayNameTarget: @escaping @Sendable (GatefoldRequestContext) -> Bool = { _ in false }
    ) {
        self.address = address
        self.unsharedAddress = unsharedAddress
        self.mayNameTarget = mayNameTarget
    }
}
