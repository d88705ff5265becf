/*
 * The embedded model: text in, vector out. Errors and handles are those of mlp.h.
 *
 * Texts are UTF-8; bytes that are not count as U+FFFD. They may hold NUL, so each
 * has a length. Prefixes such as "query: " are the caller's affair.
 */
#ifndef MLP_MODEL_H
#define MLP_MODEL_H

#include "mlp.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens a model file, which stays mapped and must not be changed in place. Its
 * threads, 1 to 64, are its own; all calls on the model share them.
 * The handle is closed with mlp_model_close; a call that is running goes on.
 */
mlp_error *mlp_model_open(const char *path, uint32_t threads, uint64_t *model);
mlp_error *mlp_model_close(uint64_t model);

/* The length of a vector. */
mlp_error *mlp_model_dims(uint64_t model, size_t *dims);

/*
 * The tokens of a text, the two marks around it included. What exceeds the
 * model's window of 512 is counted here and left out when embedding. At most
 * 2 MiB.
 */
mlp_error *mlp_model_count_tokens(uint64_t model, const uint8_t *text, size_t len,
                                  size_t *tokens);

/*
 * The unit vectors of `count` texts, at most 4096. `texts` holds them back to
 * back, `lens` their lengths in bytes; `vectors` has room for count * dims floats.
 * timeout_ms 0 means no limit; cancel is a cancel handle, or 0.
 */
mlp_error *mlp_model_embed(uint64_t model, const uint8_t *texts, const size_t *lens,
                           size_t count, uint64_t timeout_ms, uint64_t cancel,
                           float *vectors);

#ifdef __cplusplus
}
#endif

#endif /* MLP_MODEL_H */
