import Foundation
import InPlayer
import TestSupport
import Testing

@Suite("Session")
struct SessionTests {
    private static let expired = StoredSession(
        accessToken: "old", refreshToken: "refresh-1", expires: Shapes.now.addingTimeInterval(-60), account: nil)

    private func isRefresh(_ request: TransportRequest) -> Bool { request.target == "/accounts/authenticate" }

    @Test("with an expired token is renewed once for five hundred parallel calls")
    func once() async throws {
        let gate = ManualLatch()
        let transport = ScriptedTransport { request in
            if request.target == "/accounts/authenticate" {
                await gate.pass()
                return .json(Shapes.session("new", refresh: "refresh-2"))
            }
            return request.bearer == "new" ? .json(Shapes.access) : Shapes.error(401)
        }
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(transport, storage: storage)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { _ = try await client.assets.access(to: 43_929) } }
            await until { gate.waiting == 1 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(
            transport.requests.filter(isRefresh).map(\.form) == [
                "client_id=client-1&grant_type=refresh_token&refresh_token=refresh-1"
            ])
        #expect(transport.requests.count == 501)
        #expect(storage.load()?.accessToken == "new")
        #expect(storage.load()?.refreshToken == "refresh-2")
    }

    @Test("a session that cannot be renewed ends for every waiting call, and no call hangs")
    func failing() async throws {
        let gate = ManualLatch()
        let transport = ScriptedTransport { _ in
            await gate.pass()
            return Shapes.error(400, "The refresh token is invalid")
        }
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(transport, storage: storage)
        let ends = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<500 {
                group.addTask {
                    do throws(InPlayerError) {
                        _ = try await client.assets.access(to: 43_929)
                        return false
                    } catch .sessionEnded(let fault) {
                        return fault?.message == "The refresh token is invalid"
                    } catch .notSignedIn {
                        // This call came after the others had failed.
                        return true
                    } catch { return false }
                }
            }
            await until { gate.waiting == 1 }
            gate.open()
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(ends == 500)
        #expect(transport.requests.count == 1)
        #expect(storage.load() == nil)
    }

    @Test("survives a renewal that fails temporarily", arguments: [429, 500, 503, nil] as [Int?])
    func passing(_ status: Int?) async throws {
        struct NoNetwork: Error {}
        let transport = ScriptedTransport { _ in
            guard let status else { throw NoNetwork() }
            return Shapes.error(status)
        }
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(transport, storage: storage)
        await #expect(throws: InPlayerError.self) { try await client.accounts.current() }
        #expect(storage.load() == Self.expired)
        transport.respondWith { request in
            request.target == "/accounts/authenticate" ? .json(Shapes.session("new")) : .json(Shapes.account)
        }
        #expect(try await client.accounts.current().id == 21)
    }

    @Test(
        "survives a response to the renewal from a proxy, or a rejection because of the app's settings",
        arguments: [
            .json("<html>", status: 401), .json("", status: 401), .json(#"{"message":"No"}"#, status: 400),
            .json("<html>", status: 403), Shapes.error(403), Shapes.error(404), Shapes.error(405),
            Shapes.error(422, "No", #","errors":{"client_id":"unknown"}"#),
            Shapes.error(400, "No", #","errors":{"merchant_uuid":"unknown"}"#),
        ] as [TransportResponse])
    func inBetween(_ response: TransportResponse) async throws {
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(ScriptedTransport { _ in response }, storage: storage)
        await #expect(throws: InPlayerError.self) { try await client.accounts.current() }
        #expect(storage.load() == Self.expired)
    }

    @Test("without a refresh token survives a proxy's 401")
    func pageInBetween() async throws {
        let session = StoredSession(
            accessToken: "a", refreshToken: nil, expires: Shapes.now + 3600, account: nil)
        let storage = InMemorySessionStorage(session)
        let client = client(ScriptedTransport { _ in .json("<html>", status: 401) }, storage: storage)
        let error = await #expect(throws: InPlayerError.self) { try await client.accounts.current() }
        guard case .rejected(let fault) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.status == 401 && !fault.isServiceError)
        #expect(storage.load() == session)
    }

    @Test("is renewed once after a 401, even with a fresh token, and the call is repeated")
    func rejectedToken() async throws {
        let transport = ScriptedTransport { request in
            if request.target == "/accounts/authenticate" { return .json(Shapes.session("new")) }
            return request.bearer == "new" ? .json(Shapes.account) : Shapes.error(401)
        }
        #expect(try await client(transport).accounts.current().fullName == "Ada Lovelace")
        #expect(transport.requests.map(\.target) == ["/accounts", "/accounts/authenticate", "/accounts"])
    }

    @Test("is not renewed again if the new token is rejected, too")
    func rejectedTwice() async throws {
        let transport = ScriptedTransport { request in
            request.target == "/accounts/authenticate" ? .json(Shapes.session("new")) : Shapes.error(401, "Go away")
        }
        let error = await #expect(throws: InPlayerError.self) { try await client(transport).accounts.current() }
        #expect(error?.fault?.message == "Go away")
        #expect(transport.requests.count == 3)
    }

    @Test("survives a missing entitlement", arguments: [402, 403])
    func noRight(_ status: Int) async throws {
        let transport = ScriptedTransport { _ in Shapes.error(status) }
        let storage = InMemorySessionStorage(
            StoredSession(accessToken: "a", refreshToken: "r", expires: nil, account: nil))
        await #expect(throws: InPlayerError.self) {
            try await client(transport, storage: storage).assets.access(to: 3)
        }
        #expect(transport.requests.count == 1)
        #expect(storage.load() != nil)
    }

    @Test("without a refresh token ends with its access token")
    func noRefreshToken() async throws {
        let transport = ScriptedTransport { _ in Shapes.error(401, "Expired") }
        let storage = InMemorySessionStorage(
            StoredSession(accessToken: "a", refreshToken: nil, expires: Shapes.now + 3600, account: nil))
        let error = await #expect(throws: InPlayerError.self) {
            try await client(transport, storage: storage).accounts.current()
        }
        guard case .sessionEnded(let fault) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault?.message == "Expired")
        #expect(storage.load() == nil)
    }

    @Test("retains its account and refresh token if a renewal omits them")
    func leftOut() async throws {
        let transport = ScriptedTransport { request in
            switch request.form.contains("grant_type=refresh_token") {
            case true: .json(Shapes.session("new", refresh: nil, account: false))
            case false: .json(Shapes.session("first", lasts: -5))
            }
        }
        let storage = InMemorySessionStorage()
        let client = client(transport, storage: storage)
        try await client.accounts.signIn("ada", password: "engine")
        transport.respondWith { request in
            request.form.contains("refresh_token")
                ? .json(Shapes.session("new", refresh: nil, account: false))
                : .json(Shapes.access)
        }
        _ = try await client.assets.access(to: 3)
        #expect(storage.load()?.accessToken == "new")
        #expect(storage.load()?.refreshToken == "refresh-1")
        #expect(storage.load()?.account?.uuid == "c720d397-3398-4b6d-9998-b925154b4b30")
    }

    @Test("a session that is signed out during its renewal stays signed out")
    func signedOutMeanwhile() async throws {
        let gate = ManualLatch()
        let transport = ScriptedTransport { request in
            if request.target == "/accounts/logout" { return .json(#"{"code":200}"#) }
            await gate.pass()
            return .json(Shapes.session("new"))
        }
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(transport, storage: storage)
        let account = Task { try await client.accounts.current() }
        await until { gate.waiting == 1 }
        try await client.accounts.signOut()
        gate.open()
        await #expect(throws: InPlayerError.self) { try await account.value }
        #expect(storage.load() == nil)
    }

    @Test("keeps renewing for other calls when one waiting call is cancelled")
    func cancelledMeanwhile() async throws {
        let gate = ManualLatch()
        let transport = ScriptedTransport { request in
            guard request.target == "/accounts/authenticate" else { return .json(Shapes.account) }
            await gate.pass()
            return .json(Shapes.session("new"))
        }
        let client = client(transport, storage: InMemorySessionStorage(Self.expired))
        let cancelled = Task { try await client.accounts.current() }
        await until { gate.waiting == 1 }
        let other = Task { try await client.accounts.current() }
        cancelled.cancel()
        let error = await #expect(throws: InPlayerError.self) { try await cancelled.value }
        guard case .unreachable(let cause) = error, cause is CancellationError else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(gate.waiting == 1, "the renewal is still in progress")
        gate.open()
        #expect(try await other.value.id == 21)
        #expect(transport.requests.filter(isRefresh).count == 1)
    }

    @Test("the session of a later sign-in is neither mixed with the earlier account nor ended with it")
    func anotherMeanwhile() async throws {
        for erases in [false, true] {
            let gate = ManualLatch()
            let transport = ScriptedTransport { request in
                switch request.target {
                case "/accounts/authenticate":
                    return .json(
                        Shapes.session("bob").replacing(#""id":21"#, with: #""id":22"#))
                case "/accounts/logout": return .json("{}")
                default:
                    await gate.pass()
                    return .json(Shapes.account)
                }
            }
            let storage = InMemorySessionStorage(
                StoredSession(accessToken: "ada", refreshToken: "r", expires: nil, account: nil))
            let client = client(transport, storage: storage)
            let ada = Task {
                if erases {
                    try await client.accounts.erase(password: "p")
                } else {
                    _ = try await client.accounts.current()
                }
            }
            await until { gate.waiting == 1 }
            try await client.accounts.signOut()
            try await client.accounts.signIn("bob", password: "p")
            gate.open()
            try await ada.value
            #expect(storage.load()?.accessToken == "bob")
            #expect(storage.load()?.account?.id == 22)
        }
    }

    @Test("is signed out on this device even if the service is unreachable")
    func signOutOffline() async throws {
        struct NoNetwork: Error {}
        let transport = ScriptedTransport { _ in throw NoNetwork() }
        let storage = InMemorySessionStorage(Self.expired)
        let client = client(transport, storage: storage)
        await #expect(throws: InPlayerError.self) { try await client.accounts.signOut() }
        #expect(storage.load() == nil)
        // No session exists, so there is nothing to do.
        try await client.accounts.signOut()
        #expect(transport.requests.count == 1)
    }

    @Test("ends when the account is erased, but not after a wrong password")
    func erased() async throws {
        let transport = ScriptedTransport { _ in Shapes.error(422, "Wrong", #","errors":{"password":"Wrong"}"#) }
        let storage = InMemorySessionStorage(
            StoredSession(accessToken: "a", refreshToken: "r", expires: nil, account: nil))
        let client = client(transport, storage: storage)
        let error = await #expect(throws: InPlayerError.self) { try await client.accounts.erase(password: "x") }
        #expect(error?.fault?.fields == ["password": "Wrong"])
        #expect(storage.load() != nil)
        transport.respondWith { _ in TransportResponse(status: 204) }
        try await client.accounts.erase(password: "engine")
        #expect(storage.load() == nil)
    }
}
