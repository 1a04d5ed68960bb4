import Accounts
package import Commerce
import ContentGate
package import Gatefold
import HTTPTypes
import Hummingbird
import Logging
package import Settings

/// The front door for apps that are built on InPlayer's SDKs: the REST API of InPlayer, so that the apps work with the
/// publisher's own systems.
///
/// Source: InPlayer protocol, “Base URLs” and “Errors”.
package struct InPlayerFrontDoor: FrontDoor {
    package typealias PublicationSettings = InPlayerConfiguration

    package static let name = "InPlayer"
    package static let pathSegments = InPlayerPathSegments.all
    package static let issuesDownloadTokens = true

    /// The paces of e-mail, which outlive a configuration.
    private let sharedTools = InPlayerTools()

    package init() {}

    package static func settings(
        in section: SettingsSection, of publication: PublicationOutline
    ) throws(SettingsError) -> InPlayerConfiguration? {
        try InPlayerConfiguration(section, of: publication)
    }

    package static func check(_ outline: ConfigurationOutline) throws(SettingsError) {
        var seen: [String: PublicationID] = [:]
        for publication in outline.publications {
            guard let settings = publication.frontDoors[InPlayerFrontDoor.self]?.settings else { continue }
            if publication.content != nil, outline.publicURL == nil {
                throw outline.error(
                    publication, expected: "needs `server.public_url` for the links in responses of `inplayer`")
            }
            for name in settings.clients.union([settings.merchant]).sorted() {
                if let other = seen.updateValue(publication.id, forKey: name) {
                    throw outline.error(
                        publication,
                        expected: "names the InPlayer merchant or client `\(name)`, as \(other) does; "
                            + "it identifies one publication for apps")
                }
            }
        }
    }

    package func snapshot(
        of publications: ServedPublications, using services: FrontDoorServices
    ) -> any FrontDoorSnapshot {
        let keys = notificationKeys(of: publications, services)
        let served = publications.all.compactMap { publication in
            publication.settings[InPlayerFrontDoor.self].map { settings in
                var tools = makeTools(services)
                tools.notificationKeys = keys[publication.id]
                return InPlayerPublication(
                    settings.settings, authorizationService: publication.authorizationService,
                    accountStore: services.accountStore, secrets: publication.tokenSecrets,
                    issuer: publications.publicURL ?? "gatefold", passwords: settings.passwords,
                    resetTokenLifetime: settings.resetTokenLifetime, downloads: publication.downloads,
                    tools: tools, sharedRegistryPublications: publication.sharedRegistryPublications,
                    registrationThrottle: publication.registrationThrottle, ledger: services.ledger)
            }
        }
        let report = services.reporter(nil)
        return InPlayerSnapshot(
            InPlayerDirectory(served, default: publications.directory.default?.publication.id),
            notifications: NotificationAuthRequest(
                keys: Array(keys.values), clock: services.clock,
                observe: { report(NotificationAuthorizationEvent(isAllowed: $0)) }))
    }

    /// Returns the keys by which apps receive notifications, by publication; empty if apps cannot subscribe.
    private func notificationKeys(
        of publications: ServedPublications, _ services: FrontDoorServices
    ) -> [PublicationID: NotificationKeyIssuer] {
        guard let broker = services.notificationBroker else { return [:] }
        var keys: [PublicationID: NotificationKeyIssuer] = [:]
        for publication in publications.all {
            keys[publication.id] = NotificationKeyIssuer(
                publication: publication.id, secrets: publication.tokenSecrets, revocations: publication.revocations,
                endpoint: broker.endpoint, region: broker.region, random: services.random)
        }
        return keys
    }

    /// Returns the services that all publications share.
    private func makeTools(_ services: FrontDoorServices) -> InPlayerTools {
        var tools = sharedTools
        tools.random = services.random
        tools.codes = PINCodes(
            store: services.pinCodeStore, pseudonymKey: services.pseudonymKey, random: services.random)
        tools.mailLimit.share("mail", store: services.paceStore, pseudonymKey: services.pseudonymKey)
        tools.forgotPasswordPace.share(
            "forgotten password", store: services.paceStore, pseudonymKey: services.pseudonymKey)
        tools.notificationPublisher = services.notificationPublisher
        if let mailer = services.mailer {
            tools.mail = { emailMessage in
                do {
                    try await mailer.send(emailMessage)
                    return true
                } catch {
                    return false
                }
            }
        }
        return tools
    }
}

/// The REST API of the publications of one configuration, and the decisions about apps at the notification broker.
package struct InPlayerSnapshot: FrontDoorSnapshot {
    private let directory: InPlayerDirectory
    package let notifications: NotificationAuthRequest

    package init(_ directory: InPlayerDirectory, notifications: NotificationAuthRequest) {
        self.directory = directory
        self.notifications = notifications
    }

    /// Adds routes for the paths of the SDKs, with and without a publication and a version before them. Every path
    /// below them has a route, because scripts can read an error only in the format that SDKs read.
    package func addRoutes(to routes: inout Routes) {
        let clients = routes.clients
        routes.on("/auth-request/notifications", methods: .only([.get])) { request, context in
            let isTrusted = clients.mayNameTarget(context)
            let response = notifications.respond(to: request, isTrusted: isTrusted)
            if response.status == .forbidden {
                context.refuse(Refusal(isTrusted ? .tokenUnreadable : .untrustedPeer, .notifications))
            }
            return response
        }
        guard !directory.isEmpty else { return }
        let handler = InPlayerCallHandler(directory: directory, clients: clients)
        for pattern in InPlayerPathSegments.patterns {
            routes.on(RoutePattern(pattern), methods: .all, matchesEscapes: true) { request, context in
                await handler.respond(to: request, context)
            }
        }
    }

    package func report(_ change: PurchaseChange, of publication: PublicationID) async throws {
        try await directory[publication]?.notify(of: change)
    }
}

/// A handler that finds the publication of a call.
private struct InPlayerCallHandler {
    let directory: InPlayerDirectory
    let clients: RequestClients

    func respond(to request: Request, _ context: GatefoldRequestContext) async -> Response? {
        guard let address = InPlayerAddress(request.uri.path, isKnown: { directory[$0] != nil }) else { return nil }
        context.route = address.pattern
        let origin = request.headers[.origin]
        let early = address.publication.flatMap { directory[$0] }.map { $0.settings.origins.response(to: origin) }
        if request.method == .options {
            return CrossOrigin.preflight(request, allowed: early ?? directory.origin(origin))
        }
        var allowed = early ?? directory.origin(origin)
        var publication: PublicationID?
        var response: Response
        do {
            guard let call = address.call else { throw InPlayerRejection.unknownCall }
            guard call.methods.contains(request.method) else { throw Self.wrongMethod(call) }
            if call == .keySet {
                response = InPlayerRequestHandler.keySet(directory, address.publication)
            } else {
                let handler = try await handler(request, context, call, address.publication)
                allowed = handler.front.settings.origins.response(to: origin)
                publication = handler.front.id
                response = try await handler.response(call)
            }
        } catch {
            let rejection = rejection(error, address.call, context)
            let publication = publication ?? address.publication.flatMap { directory[$0]?.id }
            context.refuse(
                Refusal(rejection.reason, address.call?.refusedCall ?? .other, of: publication))
            response = InPlayerResponse.rejected(rejection)
        }
        CrossOrigin.add(allowed, to: &response)
        return response
    }

    private func handler(
        _ request: Request, _ context: GatefoldRequestContext, _ call: InPlayerCall, _ publication: PublicationID?
    ) async throws -> InPlayerRequestHandler {
        var limits = RequestLimits()
        if case .receipt = call { limits = .receipts }
        let fields = try await InPlayerFields.read(request, limits: limits)
        let bearer = Bearer(request.headers[.authorization])
        let front = try directory.publication(
            named: publication, merchant: InPlayerRequestHandler.merchant(call, fields),
            key: bearer.text.flatMap { AccessTokenHeader($0)?.key }, needsToken: call.needsToken(request.method))
        return InPlayerRequestHandler(
            front: front, method: request.method, refusedCall: call.refusedCall, fields: fields, bearer: bearer,
            client: clients.address(request, context),
            languages: request.headers.value(of: .acceptLanguage).map(AcceptLanguage.parse) ?? [])
    }

    private static func wrongMethod(_ call: InPlayerCall) -> InPlayerRejection {
        var rejection = InPlayerRejection(.methodNotAllowed, "Method not allowed.", .malformedRequest)
        rejection.allow = (call.methods + [.options]).map(\.rawValue).joined(separator: ", ")
        return rejection
    }

    private func rejection(_ error: any Error, _ call: InPlayerCall?, _ context: GatefoldRequestContext)
        -> InPlayerRejection
    {
        switch error {
        case let rejection as InPlayerRejection: return rejection
        case let rejection as RequestRejection:
            return InPlayerRejection(rejection.status, rejection.text, .malformedRequest)
        case let failure as Unavailable: return .unavailable(failure.retryAfter, failure.reason)
        default:
            context.logger.unexpected(error, "Call failed unexpectedly", ["call": "\(call?.pattern ?? "none")"])
            return .unavailable(30, .internalError)
        }
    }
}
