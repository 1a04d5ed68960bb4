package import AdminAPI
import Gatefold
import HTTPTypes
import JSON
package import Primitives

/// The console: pages for the support desk and the operator, made on the server, without a script.
///
/// It has no access to data of its own. Each page calls operations of the admin API as its user, so that a user of the console can
/// do exactly what a token with their role and publications can.
package struct Console: Sendable {
    /// The path of the console on the admin listener.
    package static let root = "/console"
    private static let signIn = PathTemplate("/sign-in/{link}")
    /// The label of a path without a page. Its colon hides the path from the log, which might have a link in an unusual spelling.
    private static let noRoute = root + "/:other"

    private let api: any AdminOperationRunner
    private let sessions: ConsoleSessions
    private let random: RandomSource
    private let didRespond: @Sendable (ConsoleTrace) -> Void
    private let cookie: SessionCookie
    private let templates: ConsoleTemplates

    /// - Parameter didRespond: Receives each response except that of the style sheet, for the log.
    /// - Throws: An error of the templates.
    package init(
        _ api: any AdminOperationRunner, _ sessions: ConsoleSessions, random: RandomSource = .system,
        didRespond: @escaping @Sendable (ConsoleTrace) -> Void = { _ in }
    ) throws {
        self.api = api
        self.sessions = sessions
        self.random = random
        self.didRespond = didRespond
        cookie = SessionCookie(installation: sessions.installation)
        templates = try ConsoleTemplates()
    }

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request, with the path below ``root``.
    ///   - origin: The origin of the console as the browser names it, such as `http://127.0.0.1:8081`.
    ///   - problem: Returns the problem for an unexpected error, and logs it.
    package func respond(
        to request: AdminRequest, origin: String, problem: @Sendable (any Error) -> AdminProblem
    ) async -> ConsoleResponse {
        let path = request.path == "/" ? "" : request.path
        if request.method == .get || request.method == .head, path == "/style.css" {
            return .style(PackageResources.style_css, route: Self.root + path)
        }
        let link = Self.signIn.match(path: path[...])?["link"]
        let routes = ConsoleRoute.all.filter { $0.path.match(path: path[...]) != nil }
        let label = link == nil ? routes.first?.label ?? Self.noRoute : ConsoleRoute.label(of: Self.signIn)
        var visitor: (user: AdminUser, session: AdminToken)?
        let response: ConsoleResponse
        do {
            guard request.isForThisHost, !DirectRequest.isThroughProxy(request) else {
                throw ConsoleProblem.foreignRequest
            }
            if request.method == .post, !SameOriginRule.permits(request.fields, origin: origin) {
                throw ConsoleProblem.foreignRequest
            }
            if let link {
                response = try await signIn(request, link, label, problem)
            } else {
                // A link may stand on a page of another site. Opening it reads nothing.
                if request.method != .post, !SameOriginRule.permitsReading(request.fields) {
                    throw ConsoleProblem.foreignRequest
                }
                let session = try cookie.read(request.fields).orThrow(ConsoleProblem.signedOut)
                let user = try await sessions.user(of: session, from: request.address, isLocal: request.isLocal)
                visitor = (user, session)
                response = try await respond(to: request, path, routes, label, user, session)
            }
        } catch {
            response = self.page(for: error, visitor, label, problem)
        }
        didRespond(ConsoleTrace(user: visitor?.user.id, page: response.route, status: response.status))
        return response
    }

    /// Shows the button of a link, or uses the link up. Only the button does, because scanners and previews of mail open links.
    private func signIn(
        _ request: AdminRequest, _ text: String, _ label: String, _ problem: @Sendable (any Error) -> AdminProblem
    ) async throws -> ConsoleResponse {
        let link = try AdminToken(text, of: .loginLink).orThrow(ConsoleProblem.usedLink)
        switch request.method {
        case .get, .head:
            return .page(templates.render(SignInPage.page(link), nil), status: 200, route: label)
        case .post:
            do {
                let session = try await sessions.begin(with: link, from: request.address, isLocal: request.isLocal)
                await endFormerSession(of: request, problem)
                return .redirect(to: "", route: label)
                    .setting(cookie: cookie.setting(session, lifetime: Int(ConsoleSessions.lifetime)))
            } catch let problem as AdminProblem where problem == .unauthenticated {
                throw ConsoleProblem.usedLink
            }
        default: throw ConsoleProblem.notFound
        }
    }

    /// Ends the session that the browser had before a sign-in, because nobody could sign out of it any more. If that fails, the
    /// sign-in remains: its link is used up.
    private func endFormerSession(of request: AdminRequest, _ problem: @Sendable (any Error) -> AdminProblem) async {
        guard let former = cookie.read(request.fields) else { return }
        do {
            try await sessions.end(former)
        } catch {
            _ = problem(error)
        }
    }

    private func respond(
        to request: AdminRequest, _ path: String, _ routes: [ConsoleRoute], _ label: String, _ user: AdminUser,
        _ session: AdminToken
    ) async throws -> ConsoleResponse {
        var form: [String: String] = [:]
        if request.method == .post {
            form = try await ConsoleForm.read(request)
            let token = sessions.formToken(of: session)
            guard isEqualInConstantTime(Array((form["form_token"] ?? "").utf8), Array(token.utf8)) else {
                throw ConsoleProblem.foreignForm
            }
            if path == "/sign-out" {
                try await sessions.end(session)
                return .page(templates.render(SignInPage.signedOut, nil), status: 200, route: Self.root + path)
                    .setting(cookie: cookie.deleting)
            }
        }
        let method = request.method == .head ? .get : request.method
        guard let route = routes.first(where: { $0.method == method }) else { throw ConsoleProblem.notFound }
        let visit = ConsoleVisit(
            api: api, user: user, path: route.path.match(path: path[...]) ?? [:],
            query: try ConsoleForm.parse(request.query ?? "").orThrow(ConsoleProblem.malformed), form: form,
            random: random, receipts: sessions.receipts(of: session))
        switch try await route.handler(visit) {
        case .page(let page):
            return .page(templates.render(page, bar(user, session, path)), status: page.status, route: label)
        case .redirect(let path): return .redirect(to: path, route: label)
        }
    }

    private func page(
        for error: any Error, _ visitor: (user: AdminUser, session: AdminToken)?, _ label: String,
        _ problem: (any Error) -> AdminProblem
    ) -> ConsoleResponse {
        let shown = (error as? ConsoleProblem) ?? ConsoleProblem((error as? AdminProblem) ?? problem(error))
        let page =
            shown.endsSession ? SignInPage.needed(shown) : Page("This did not work", banners: [.problem(shown.text)])
        let bar = shown.endsSession ? nil : visitor.map { self.bar($0.user, $0.session, nil) }
        return .page(templates.render(page, bar), status: shown.status, route: label)
    }

    /// - Parameter path: The path of the page, to mark its link.
    private func bar(_ user: AdminUser, _ session: AdminToken, _ path: String?) -> SessionBar {
        let lists = ListPage.all.filter(\.isGlobal).map { ($0.title, $0.path, $0.operation) }
        let links = [("Readers", "", "whoAmI")] + lists
        return SessionBar(
            userName: user.name, userRole: user.scope.role.rawValue, formToken: sessions.formToken(of: session),
            navigation: links.filter { api.permits($0.2, to: user) }.map { title, link, _ in
                PageLink(title, link, isCurrent: link == path)
            })
    }
}

extension Optional {
    fileprivate func orThrow(_ problem: ConsoleProblem) throws(ConsoleProblem) -> Wrapped {
        guard let self else { throw problem }
        return self
    }
}
