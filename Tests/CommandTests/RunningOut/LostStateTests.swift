import Foundation
import TestSupport
import Testing

@Suite("A state that is lost while the server runs", .serialized)
struct LostStateTests {
    @Test(
        "readers go on, no end of a session is acknowledged, and the server says that it is not ready",
        arguments: ["", "-wal"])
    func lost(suffix: String) async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(sample.newReader())
                let other = try await sample.signIn(sample.newReader())
                #expect(try await sample.call("sign_out", ["token": other]).status == 200)
                #expect(try await sample.http.send("GET", "/readyz").status == 200)
                try FileManager.default.removeItem(atPath: sample.path("state/state.sqlite\(suffix)"))

                let refused = try await sample.call("sign_out", ["token": token])
                #expect(refused.status == 503 && refused["Retry-After"] != nil, "\(refused)")
                expectNoCache(refused, "sign_out")
                #expect(try await sample.state(of: token) == "active")
                #expect(try await sample.state(of: other) != "active")
                let device = try await sample.call(
                    "sign_in", ["email": Sample.ada.email, "password": Sample.ada.password, "device": "new phone"])
                #expect(device.status == 503 && device.element("token") == nil, "\(device)")
                #expect(
                    try await sample.call("sign_in", ["email": Sample.ada.email, "password": "wrong"]).status == 200)

                // Asked once a second at most, so what is said is a second old at most.
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 503
                    })
                let ready = try await sample.admin.send("GET", "/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains("state.sqlite\(suffix) was deleted or replaced"), "\(ready.text)")
                #expect(try await !sample.http.send("GET", "/readyz").text.contains("sqlite"))
                #expect(server.output.contains("state can not be written"), "\(server.output)")
                #expect(server.output.contains("was deleted or replaced"))
            }
        }
    }
}
