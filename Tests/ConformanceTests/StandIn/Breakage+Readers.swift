@testable import Conformance

extension Breakage {
    static let readers: [Breakage] = [
        Breakage("state-sign-in", "a reader is not recognised") { request, answer in
            if request.isSignIn, request["username"] == "activenone" {
                answer = StandIn().document("<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        Breakage("state-lapsed-sign-in", "a lapsed reader is sent away") { request, answer in
            if request.isSignIn, request["username"] == "lapsednone" {
                answer = StandIn().document("<error status=\"notrecognised\" message=\"Invalid credentials\"/>")
            }
        },
        Breakage("state-known", "a word of the server's own") { request, answer in
            if request.isVerification, request.user == "lapsednone" {
                answer.text = answer.text.replacing("inactive", with: "lapsed")
            }
        },
        Breakage("state-expected", "a lapsed reader is active") { request, answer in
            if request.isVerification, request.user == "lapsednone" {
                answer.text = answer.text.replacing("inactive", with: "active")
            }
        },
        Breakage("state-expected", "a strange token is not understood") { request, answer in
            if request.isVerification, request.user == "longjson" {
                answer.text = answer.text.replacing("active", with: "inactive")
            }
        },
        Breakage("issues-nothing", "nothing becomes everything") { request, answer in
            if request.isVerification, request.user == "activenone" {
                answer.text = answer.text.replacing("<issues/>", with: "")
            }
        },
        Breakage("issues-everything", "everything becomes nothing") { request, answer in
            if request.isVerification, ["activeall", "peter"].contains(request.user) {
                answer.text = answer.text.replacing("</sub", with: "<issues/></sub")
            }
        },
        Breakage("issues-listed", "an edition is missing") { request, answer in
            if request.isVerification, request.user == "activesome" {
                answer.text = answer.text.replacing("<issue>com.pugpig.edition0003</issue>", with: "")
            }
        },
        Breakage("issues-listed", "an edition too many") { request, answer in
            if request.isVerification, request.user == "activesome" {
                answer.text = answer.text.replacing("</issues>", with: "<issue>com.pugpig.edition0002</issue></issues>")
            }
        },
        Breakage("issues-listed", "an edition twice") { request, answer in
            if request.isVerification, request.user == "activesome" {
                answer.text = answer.text.replacing("</issues>", with: "<issue>com.pugpig.edition0003</issue></issues>")
            }
        },
        Breakage("issues-inactive", "a lapsed reader has given everything back") { request, answer in
            if request.isVerification, request.user == "lapsedsome" {
                answer = StandIn().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        Breakage("failure-direction", "a failure is an inactive reader") { request, answer in
            if request.isVerification, request.user == "200-500-500" {
                answer = StandIn().document("<subscription state=\"inactive\"><issues/></subscription>")
            }
        },
        Breakage("failure-direction", "a failure is a refused sign-in") { request, answer in
            if request.isSignIn, answer.status == 503 {
                answer = StandIn().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        Breakage("failure-direction", "a failure is a refused renewal") { request, answer in
            if request.isRenewal, request.user == "200-500-500" {
                answer = StandIn().document("<error status=\"notrecognised\" message=\"Later\"/>")
            }
        },
        Breakage("failure-direction", "a failure is a token that nobody recognises") { request, answer in
            if request.isCredentials, answer.status == 503 {
                answer = StandIn().document(
                    "<credentials><error status=\"notrecognised\" message=\"Later\"/></credentials>")
            }
        },
        Breakage("failure-retry", "nobody knows when") { _, answer in answer.set("Retry-After", nil) },
    ]
}
