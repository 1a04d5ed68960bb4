import Foundation
import TestSupport
import Testing

@Suite("State lost at run time", .serialized)
struct LostStateTests {
    @Test(
        "Readers continue, no sign-out is acknowledged, and the server is not ready",
        arguments: ["", "-wal"])
    func lost(suffix: String) async throws {
        try await withSample { sample in
            try await withServer(sample.launch) { server in
                let token = try await sample.signIn(sample.newReader())
                let other = try await sample.signIn(sample.newReader())
                #expect(try await sample.call("sign_out", ["token": other]).status == 200)
                #expect(try await sample.http.send("GET", "/readyz").status == 200)
                try FileManager.default.removeItem(atPath: sample.path("state/state.sqlite\(suffix)"))

                let rejected = try await sample.call("sign_out", ["token": token])
                #expect(rejected.status == 503 && rejected["Retry-After"] != nil, "\(rejected)")
                expectNoCache(rejected, "sign_out")
                #expect(try await sample.state(of: token) == "active")
                #expect(try await sample.state(of: other) != "active")
                let device = try await sample.call(
                    "sign_in", ["email": Sample.ada.email, "password": Sample.ada.password, "device": "new phone"])
                #expect(device.status == 503 && device.element("token") == nil, "\(device)")
                #expect(
                    try await sample.call("sign_in", ["email": Sample.ada.email, "password": "wrong"]).status == 200)

                // The state is probed at most once a second, so the result may be a second old.
                #expect(
                    try await eventually(within: .seconds(2)) {
                        try await sample.http.send("GET", "/readyz").status == 503
                    })
                let ready = try await sample.admin.send("GET", "/readyz")
                #expect(ready.status == 503)
                #expect(ready.text.contains("state.sqlite\(suffix) was deleted or replaced"), "\(ready.text)")
                #expect(try await !sample.http.send("GET", "/readyz").text.contains("sqlite"))
                #expect(server.output.contains("State cannot be written"), "\(server.output)")
                #expect(server.output.contains("was deleted or replaced"))
            }
        }
    }
}
